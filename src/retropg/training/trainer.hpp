#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/baseline/baseline.hpp"
#include "retropg/estimator/estimator.hpp"
#include "retropg/optimizer/optimizer.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/training/iterate_choice.hpp"
#include "retropg/training/step_limit.hpp"
#include "retropg/training/told_signs.hpp"
#include "retropg/trajectory/broken_number.hpp"

namespace retropg {

/// Which iterate a run returns.
enum class Output { kEstimate, kBest, kLast, kRandom };

struct TrainerOptions {
  Index iterations = 1000;  // 0: no limit
  Index budget = 0;         // collected trajectories, never exceeded; 0: no limit
  Index steps = 0;          // the last iteration is the one that reaches this number of steps; 0: no limit
  std::uint64_t seed = 1;
  Output output = Output::kEstimate;
  Index horizon = 0;      // required: the maximum number of steps per trajectory passed to `tell`
  double discount = 1.0;  // of their rewards
  double trust = 0.0;     // largest divergence of an update by the optimizer, see StepLimit; 0: no limit
  ReturnRange returns{};  // that a trajectory can have
  std::vector<ActionRange> action_ranges{};  // of the environment, to know clipped actions by; empty: not known
  std::string method{};                      // its name, for messages
};

/// The discounted return and the number of steps of one trajectory, and whether it ended by itself
/// (Ending::kTerminated) if that is known.
struct Outcome {
  double value = 0.0;
  Index length = 0;
  std::optional<bool> terminated{};
};

/// The mean return of separate episodes with the half-width of its 95 % Student t interval.
struct Evaluation {
  double mean = 0.0, half_width = 0.0;
  Index episodes = 0;
  std::vector<Outcome> outcomes{};  // of each episode
};

/// What one iteration did. A read-only result: observers cannot modify the trainer.
struct IterationRecord {
  Index iteration = 0;       // 1, 2, ...
  Index trajectories = 0;    // collected so far, including this batch and those dropped
  Index steps = 0;           // taken so far, including this batch and those dropped
  double return_mean = 0.0;  // of the trajectories this iteration drew from the current policy; NaN without any
  double return_std = 0.0;
  double gradient_norm = 0.0;
  Index skipped = 0;  // updates so far without a finite gradient, or square of it, or whose draw has nothing left
  Index dropped = 0;  // trajectories left out so far because they are broken
  Diagnostics diagnostics{};
  std::optional<LimitedStep> limited{};    // unset without a limit, if the method took the step, or if it was skipped
  std::optional<Evaluation> evaluation{};  // of Trainer::recommended after the update, if this iteration has one
  std::vector<Outcome> outcomes{};         // of all trajectories of this iteration but those dropped, as they were told
};

/// What depends on the policy.
struct TrainerParts {
  std::shared_ptr<const Policy> policy;
  std::unique_ptr<Estimator> estimator;
  std::unique_ptr<Baseline> baseline{};  // may be null
};

/// Makes the parts from the root mean square of each observation in the pilot trajectory; from none before it.
using MakeParts = std::function<TrainerParts(std::span<const double> root_mean_squares)>;

/// Policy gradient training by ask and tell: ask for draws, tell their trajectories, update. The trajectories may come
/// from a simulator, a physical plant or a file. A trainer must not be used by two threads at the same time.
///   while (!trainer.finished()) {
///     for (const Draw& draw : trainer.ask()) trainer.tell(trajectories of draw);
///     record(trainer.update());
///   }
class Trainer {
 public:
  /// Throws Error if the policy, the estimator or the optimizer is missing, without a limit of iterations, budget or
  /// steps, with a discount outside [0, 1], or if steps shall be limited but the policy has no divergence. The
  /// estimator must have been made for this policy.
  Trainer(std::shared_ptr<const Policy> policy, std::unique_ptr<Estimator> estimator,
          std::unique_ptr<Optimizer> optimizer, const TrainerOptions& options, Index threads = 1,
          std::unique_ptr<Baseline> baseline = nullptr);
  /// Begins with a pilot: the first `ask` is for one trajectory of random actions (Draw::pilot), which counts against
  /// the budget. `tell` needs its steps; the `update` after it makes the parts, and its record has iteration 0.
  Trainer(MakeParts make_parts, std::unique_ptr<Optimizer> optimizer, const TrainerOptions& options, Index threads = 1);

  bool finished() const;
  /// Whether the next draw is the pilot.
  bool wants_pilot() const { return make_parts_ && pilot_.empty(); }
  /// The root mean square of each observation in the pilot; empty without one, or before it.
  std::span<const double> pilot() const { return pilot_; }
  /// Whether the budget may make the next iteration smaller than it would be with a larger budget, and whether it may
  /// have done so in an iteration before: such a state is not on the way of a run with a larger budget.
  bool budget_may_cut() const;
  bool budget_may_have_cut() const { return limited_ != 0; }
  /// The current iteration: 1, 2, ...
  Index iteration() const { return iteration_; }
  Index trajectories() const { return trajectories_; }
  Index steps() const { return steps_; }
  /// Trajectories left out so far; `trajectories` and `steps` include them, because they were collected.
  Index dropped() const { return dropped_; }
  /// Updates skipped so far, see IterationRecord.
  Index skipped() const { return skipped_; }
  const Policy& policy() const { return *policy_; }
  const Estimator& estimator() const { return *estimator_; }
  Credit credit() const { return estimator_->credit(); }
  /// Whether `tell` needs steps rather than digested batches, because of a baseline or because this is the pilot.
  bool wants_steps() const { return baseline_ != nullptr || wants_pilot(); }
  const Workers& workers() const { return *workers_; }
  Parameters parameters() const { return theta_; }
  /// Only between iterations and after the pilot: otherwise throws Error. An elite of the method stays.
  void set_parameters(std::vector<double> theta);

  /// The draws of this iteration; unchanged until `update`.
  const std::vector<Draw>& ask();
  /// Supplies the trajectories of the next draw, in the order of `ask`: as steps, or already digested by the trainer's
  /// own policy unless there is a baseline, which needs the steps. There may be fewer than requested; `dropped` were
  /// collected but left out. If all were, there may be none: the update is then skipped unless the draw was an
  /// evaluation (spread 0). Throws Error if they do not match the draw, contain a broken number
  /// (trajectory/broken_number.hpp), or have actions that cannot have been sampled (training/told_actions.hpp); of a
  /// digested batch, only the returns can be checked.
  void tell(Batch batch, const Dropped& dropped = {});
  void tell(const TrajectoryBatch& trajectories, const Dropped& dropped = {});
  /// Supplies trajectories of an earlier draw with this id that were not there when its iteration was updated. They
  /// enter the window with the behavior of their draw, are weighted like its other trajectories from the next `update`
  /// on, and count, but change no learning curve. Throws Error, and changes nothing, if the method does not reuse
  /// trajectories, the batch of the draw has left the window, the draw misses fewer than these, the budget does not
  /// allow them in addition to the draws already asked for, there is a baseline, or for the reasons of `tell`.
  void tell_late(const DrawId& id, const TrajectoryBatch& trajectories);
  /// Throws Error if `tell` or `tell_late` would refuse these actions of a draw: they cannot have been sampled
  /// (training/told_actions.hpp), or were told in an earlier iteration (training/told_signs.hpp).
  void check_actions(const Draw& draw, const TrajectoryBatch& trajectories) const;
  /// Updates the parameters. Throws Error, and keeps what was told, if a draw has no trajectories yet; throws RunError
  /// if a parameter would not be finite. If the update itself fails, all trajectories of this iteration are dropped and
  /// `tell` starts over with the first draw.
  IterationRecord update();

  /// What the method itself would return now, the current parameters if it has no say in that.
  Parameters recommended() const { return recommended_.parameters.empty() ? theta_ : recommended_.parameters; }
  /// Whether the method has found that there is nothing left to improve, which ends the run before its limits.
  bool solved() const { return estimator_->solved(); }

  /// The iterate with the highest batch mean return, that mean, and the iterate selected by the options.
  Parameters best() const { return best_; }
  double best_return() const { return best_return_; }
  Parameters output() const;
  /// Which parameters the output is: the last, what the method recommends (Recommendation), the iterate whose own
  /// estimate is better by more than its error, the one with the best batch, or a random one.
  std::string_view output_name() const;
  /// The output's return with actions, or parameters, drawn as in training, estimated from trajectories of the run: of
  /// the window, or of a method without one the last batch. Nothing is known of what the method
  /// recommends, the best batch's and the random iterate.
  EstimatedReturn output_return() const;

  /// Saves or restores every number that resuming a run needs. Throws Error if `tell` has been called in this
  /// iteration. Restoring discards draws already requested; call `ask` again. A state that does not belong to this
  /// trainer throws Error and leaves the trainer as it was.
  void state(Archive& archive);

 private:
  Trainer(TrainerParts parts, std::unique_ptr<Optimizer> optimizer, const TrainerOptions& options, Index threads,
          MakeParts make_parts);
  void adopt(TrainerParts parts);
  IterationRecord update_by_pilot();
  const Draw& next_draw();
  void tell_lost(const Draw& draw, const Dropped& dropped);
  /// Checks actions as `check_actions` does, and that none of the trajectories was told in this iteration; returns
  /// their hashes.
  std::vector<std::uint64_t> checked_actions(const Draw& draw, const TrajectoryBatch& trajectories) const;
  Batch undigested(const Draw& draw, const TrajectoryBatch& trajectories) const;
  void visit(Archive& archive);
  void forget_told();
  void digest_steps();
  IterationRecord try_update();
  Estimate estimate_and_move(std::vector<double>& next, IterationRecord& record);
  std::vector<double> moved(Estimate& estimate, const StepLimit* limit, IterationRecord& record);
  void choose_iterate(double return_mean, const IterateReturns& returns);

  MakeParts make_parts_;       // empty: there is no pilot
  std::vector<double> pilot_;  // see `pilot`
  std::shared_ptr<const Policy> policy_;
  std::unique_ptr<Estimator> estimator_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Baseline> baseline_;  // may be null
  TrainerOptions options_;
  std::unique_ptr<Workers> workers_;
  OrderedSum sum_;
  std::vector<double> theta_, best_, random_;
  Recommendation recommended_;  // by the estimator at theta_
  double best_return_;
  IterateChoice choice_;
  Index iteration_ = 1, trajectories_ = 0, steps_ = 0, skipped_ = 0, dropped_ = 0;
  Index limited_ = 0;  // 1: budget_may_have_cut
  std::vector<Draw> draws_;
  std::vector<Batch> told_;
  std::vector<TrajectoryBatch> steps_told_;  // of the same draws; only with a baseline, or of the pilot
  Dropped dropped_now_;                      // in this iteration
  ToldTrajectories told_before_;             // from elsewhere than a collector, until the last update
  std::vector<std::uint64_t> told_now_;      // since
};

}  // namespace retropg
