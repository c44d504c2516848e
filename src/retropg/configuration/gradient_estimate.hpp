#pragma once

#include <span>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Trajectories and the parameters that drew them.
struct BehaviorBatch {
  std::vector<double> behavior;
  TrajectoryBatch trajectories;
};

/// A gradient, and what became of each batch. NaN where the method does not define a number.
struct GradientEstimate {
  struct Batch {
    std::vector<double> weights;  // c_ij: what the gradient of each trajectory was multiplied by
    double effective_sample_size;
    double log_divergence;
    double alpha, lambda;
  };
  std::vector<double> gradient;
  double effective_sample_size;  // of all trajectories
  std::vector<Batch> batches;    // in the order given
};

/// The gradient at theta from given batches, oldest first, by the configuration's algorithm: the computation of an
/// iteration in training whose window holds these batches. The policy is one that `make_policy` made for the
/// configuration. A method that reuses nothing takes one batch, drawn at theta. Throws Error if the algorithm does not
/// weight whole trajectories, with a baseline, and for trajectories that `Trainer::tell` would refuse for
/// certain signs (training/told_signs.hpp, told_function.hpp): behaviors that are only about right are taken.
GradientEstimate estimate_gradient(const Configuration& configuration, const Policy& policy, Parameters theta,
                                   std::span<const BehaviorBatch> batches);

}  // namespace retropg
