#pragma once

#include <memory>
#include <span>
#include <vector>

#include "retropg/policy/policy.hpp"

namespace retropg {

/// Acts for one trajectory of a plant or simulator that retropg does not step itself:
///   Sampler sampler = policy.sample(draw.behavior, random, draw.spread);
///   for each step: action = sampler.act(observation)
class Sampler {
 public:
  Sampler(const Policy& policy, Parameters theta, const RandomStream& random, double spread);

  /// The action for one observation, valid until the next call. Throws Error if the observation has the wrong size.
  std::span<const double> act(std::span<const double> observation);

  /// The parameters drawn for this trajectory (TrajectoryBatch::sampled); empty if the policy draws actions.
  Parameters parameters() const { return parameters_; }

 private:
  std::vector<double> theta_;
  RandomStream random_;
  double spread_;
  Index observation_size_;
  std::unique_ptr<Actor> actor_;
  std::vector<double> parameters_;
  std::vector<double> observations_, noise_, actions_, notes_, action_;  // rows of kChunk lanes; only lane 0 is used
  std::vector<const double*> noise_rows_;
};

}  // namespace retropg
