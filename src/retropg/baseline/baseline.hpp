#pragma once

#include <memory>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

class Archive;
class Policy;

/// A baseline for the return: what is taken off the credit of a step to make the gradient less noisy. It is computed
/// once, on all trajectories of an iteration at its parameters, and frozen with them, so that evidence stays valid.
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// The credits of the trajectories of an iteration at theta, less their baseline: one a step, or one for each step
  /// and parameter. For Credit::kReturn they are the same at every step of a trajectory; Credit::kOne has no baseline.
  virtual std::vector<double> credits(Parameters theta, const TrajectoryBatch& batch, Credit credit) = 0;
  /// Bytes it may come to hold after `batches` batches.
  virtual double bytes_needed(double /*batches*/) const { return 0.0; }
  /// Every number a resume needs, by name, in both directions.
  virtual void state(Archive& archive) = 0;
};

struct BaselineOptions {
  Index horizon = 0;  // T: a baseline of a time step counts at every t < T, also after the trajectory's end
  double discount = 1.0;
};

/// b_t = (1/N) sum_j gamma^t r_{j,t} over the fresh batch, with 0 after a trajectory's end. The expected on-policy
/// gradient is 1 - 1/N of the true one. A single trajectory, of which nothing would be left, gets no baseline.
std::unique_ptr<Baseline> mean_baseline(const BaselineOptions& options);

/// The same over the other trajectories of the batch: unbiased. A batch of one has no others and gets no baseline.
std::unique_ptr<Baseline> leave_one_out_baseline(const BaselineOptions& options);

/// b_t = sum_j c_{j,t}^2 gamma^t r_{j,t} / sum_j c_{j,t}^2 with c_{j,t} = sum_{l <= t} psi_{j,l}, which keeps its last
/// value after the trajectory's end: the least second moment of every term c_t (gamma^t r_t - b_t). One for each
/// parameter where the policy takes such credits, else one with the squared norm of c. Biased by O(1/N). A single
/// trajectory gets no baseline.
std::unique_ptr<Baseline> peters_baseline(const Policy& policy, const BaselineOptions& options);

/// b_t = exponential average of the batch means of gamma^t r_t over the earlier batches, divided by the sum of its
/// weights: unbiased. The first batch gets no baseline.
std::unique_ptr<Baseline> running_mean_baseline(const BaselineOptions& options, double rate);

struct ValueOptions {
  Index window = 8;    // batches the fit looks at; kFullReuse for all
  double ridge = 0.1;  // penalty, in mean squares of the features
  bool fresh = false;  // whether the fresh batch is among them, which is biased
};

/// V(t, s): ridge regression of the reward-to-go on 1, t, t^2, the observation and its products, over the steps of the
/// last batches, cut off at the least and greatest reward-to-go among them. Fitted on earlier batches it is unbiased,
/// and the first batch gets no baseline.
std::unique_ptr<Baseline> value_baseline(Index observation_size, const BaselineOptions& options,
                                         const ValueOptions& value);

}  // namespace retropg
