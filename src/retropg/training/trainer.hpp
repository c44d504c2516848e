#pragma once

#include <memory>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/baseline/baseline.hpp"
#include "retropg/estimator/estimator.hpp"
#include "retropg/optimizer/optimizer.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

/// Which iterate a run returns.
enum class Output { kBest, kLast, kRandom };

struct TrainerOptions {
  Index iterations = 1000;  // 0: no limit
  Index budget = 0;         // collected trajectories, never exceeded; 0: no limit
  std::uint64_t seed = 1;
  Output output = Output::kBest;
  Index horizon = 0;      // of the trajectories told
  double discount = 1.0;  // of their rewards
};

/// What one iteration did: a read-only result; observers cannot modify the trainer.
struct IterationRecord {
  Index iteration = 0;       // 1, 2, ...
  Index trajectories = 0;    // collected so far, this batch included
  Index steps = 0;           // taken so far, this batch included
  double return_mean = 0.0;  // of the trajectories this iteration drew from the current policy
  double return_std = 0.0;
  double gradient_norm = 0.0;
  Index skipped = 0;  // updates left out so far because the gradient, or its square, was not finite
  Diagnostics diagnostics{};
};

/// Policy gradient as a value: ask for draws, tell what they gave, update. Simulators, plants and files may answer. One
/// trainer belongs to one thread at a time.
///   while (!trainer.finished()) {
///     for (const Draw& draw : trainer.ask()) trainer.tell(trajectories of draw);
///     record(trainer.update());
///   }
class Trainer {
 public:
  /// Throws Error if the policy, the estimator or the optimizer is missing. The estimator was made for this policy.
  Trainer(std::shared_ptr<const Policy> policy, std::unique_ptr<Estimator> estimator,
          std::unique_ptr<Optimizer> optimizer, const TrainerOptions& options, Index threads = 1,
          std::unique_ptr<Baseline> baseline = nullptr);

  bool finished() const;
  /// The iteration under way: 1, 2, ...
  Index iteration() const { return iteration_; }
  Index trajectories() const { return trajectories_; }
  Index steps() const { return steps_; }
  const Policy& policy() const { return *policy_; }
  const Estimator& estimator() const { return *estimator_; }
  Credit credit() const { return estimator_->credit(); }
  /// Whether draws must be answered with steps: a baseline looks at them.
  bool wants_steps() const { return baseline_ != nullptr; }
  const Workers& workers() const { return *workers_; }
  Parameters parameters() const { return theta_; }
  /// Between iterations only: throws Error once the draws of an iteration have been asked for.
  void set_parameters(std::vector<double> theta);

  /// The draws of this iteration; the same until `update`.
  const std::vector<Draw>& ask();
  /// Answers the first draw not yet answered, as steps or already digested by the trainer's own policy (not with a
  /// baseline, which looks at steps). A batch may hold fewer trajectories than the draw asks for, but not none. Throws
  /// Error if it does not belong to the draw or holds a number that is not finite.
  void tell(Batch batch);
  void tell(const TrajectoryBatch& trajectories);
  /// Moves the parameters once every draw is answered. Throws RunError if a parameter would not be finite. If it
  /// throws, the trainer is as it was when the draws were asked for, and they may be answered again.
  IterationRecord update();

  /// The iterate with the highest batch mean return, that mean, and the iterate the options ask for.
  Parameters best() const { return best_; }
  double best_return() const { return best_return_; }
  Parameters output() const;

  /// Every number a resume needs, between two iterations.
  void state(Archive& archive);

 private:
  const Draw& next_draw();
  void digest_steps();
  IterationRecord try_update();
  std::vector<double> moved(Estimate& estimate, double gradient_norm);
  void choose_iterate(double return_mean);

  std::shared_ptr<const Policy> policy_;
  std::unique_ptr<Estimator> estimator_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Baseline> baseline_;  // may be null
  TrainerOptions options_;
  std::unique_ptr<Workers> workers_;
  OrderedSum sum_;
  std::vector<double> theta_, best_, random_;
  double best_return_;
  Index iteration_ = 1, trajectories_ = 0, steps_ = 0, skipped_ = 0;
  std::vector<Draw> draws_;
  std::vector<Batch> told_;
  std::vector<TrajectoryBatch> steps_told_;  // with a baseline: of the same draws
};

}  // namespace retropg
