#pragma once

#include <memory>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

class Archive;
class Policy;

/// A baseline for the return: subtracted from the credit of a step to reduce the variance of the gradient. It is
/// computed once, from all trajectories of an iteration at its parameters, and stays fixed, so that stored evidence
/// remains valid.
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// The credits of the trajectories of an iteration at theta, minus their baseline: one per step, or one per step and
  /// parameter. For Credit::kReturn all steps of a trajectory have the same credit; Credit::kOne has no baseline.
  virtual std::vector<double> credits(Parameters theta, const TrajectoryBatch& batch, Credit credit) = 0;
  /// Upper bound on the bytes stored after `batches` batches.
  virtual double bytes_needed(double /*batches*/) const { return 0.0; }
  /// Saves or restores, by name, every number that resuming a run needs.
  virtual void state(Archive& archive) = 0;
};

struct BaselineOptions {
  Index horizon = 0;  // T: the baseline b_t counts at every t < T, even after the trajectory's end
  double discount = 1.0;
};

/// b_t = (1/N) sum_j gamma^t r_{j,t} over the fresh batch, with r = 0 after a trajectory's end. The expected on-policy
/// gradient is 1 - 1/N times the true one. A single trajectory gets no baseline, because its credits would all become
/// 0.
std::unique_ptr<Baseline> mean_baseline(const BaselineOptions& options);

/// The same over the other trajectories of the batch: unbiased. A batch of one has no others and gets no baseline.
std::unique_ptr<Baseline> leave_one_out_baseline(const BaselineOptions& options);

/// b_t = sum_j c_{j,t}^2 gamma^t r_{j,t} / sum_j c_{j,t}^2 with c_{j,t} = sum_{l <= t} psi_{j,l}, which keeps its last
/// value after the trajectory's end: minimizes the second moment of every term c_t (gamma^t r_t - b_t). One per
/// parameter if the policy accepts such credits, else a single one with the squared norm of c. Biased by O(1/N). A
/// single trajectory gets no baseline.
std::unique_ptr<Baseline> peters_baseline(const Policy& policy, const BaselineOptions& options);

/// b_t = exponential average of the batch means of gamma^t r_t over the earlier batches, divided by the sum of its
/// weights: unbiased. The first batch gets no baseline.
std::unique_ptr<Baseline> running_mean_baseline(const BaselineOptions& options, double rate);

struct ValueOptions {
  Index window = 8;    // batches used for the fit; kFullReuse for all
  double ridge = 0.1;  // penalty, in mean squares of the features
  bool fresh = false;  // whether the fresh batch is one of them, which is biased
};

/// V(t, s): ridge regression of the reward-to-go on 1, t, t^2, the observation and its products, over the steps of the
/// last batches, clipped to the smallest and largest reward-to-go in them. Fitted only on earlier batches, it is
/// unbiased, and the first batch gets no baseline.
std::unique_ptr<Baseline> value_baseline(Index observation_size, const BaselineOptions& options,
                                         const ValueOptions& value);

}  // namespace retropg
