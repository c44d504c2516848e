// An observation and an action so far out, each within the limit of kLargestNumber, that the square of their gradient
// overflows: updates are skipped while an estimator looks at them, and learning goes on afterward.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/svrpg.hpp"
#include "retropg/estimator/windowed.hpp"
#include "support/scripted_trainer.hpp"

namespace retropg::test {
namespace {

/// Two trajectories of one step, the first with an observation and action of its own.
TrajectoryBatch answer_with(double observation, double action) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1, .collected = true};  // else refused
  batch.add(std::vector{observation}, std::vector{action}, 1.0);
  batch.close();
  batch.add(std::vector{1.0}, std::vector{-0.25}, 0.5);
  batch.close();
  return batch;
}

/// How many updates have been skipped after each of seven iterations, of which one meets the huge action. Every update
/// that is not skipped must move the parameter.
std::vector<Index> skipped(const std::shared_ptr<const Policy>& policy, std::unique_ptr<Estimator> estimator,
                           Index huge) {
  Trainer trainer(policy, std::move(estimator), adam({.rate = 0.01}), {.iterations = 7, .horizon = 1});
  std::vector<Index> result;
  while (!trainer.finished()) {
    const double before = trainer.parameters()[0];
    const Index skipped_before = result.empty() ? 0 : result.back();
    trainer.tell(trainer.iteration() == huge ? answer_with(1e90, 1e95) : answer_with(1.0, 0.5));
    const IterationRecord record = trainer.update();
    result.push_back(record.skipped);
    EXPECT_EQ(trainer.parameters()[0] != before, record.skipped == skipped_before) << record.iteration;
    EXPECT_EQ(std::isfinite(record.gradient_norm), record.skipped == skipped_before) << record.iteration;
    EXPECT_LT(std::abs(trainer.parameters()[0] - before), 0.011) << "Adam's steps are about its rate";
  }
  return result;
}

TEST(HugeAction, IsSkippedUntilItHasLeftTheWindow) {
  for (const EvidenceKind kind : {EvidenceKind::kMoments, EvidenceKind::kSteps}) {
    const std::shared_ptr<const Policy> policy =
        linear_gaussian({.observation_size = 1, .action_size = 1, .evidence = kind});
    EXPECT_EQ(skipped(policy, windowed(*policy, {.batch = 2, .window = 2}, multiple_power_mean({})), 3),
              (std::vector<Index>{0, 0, 1, 2, 2, 2, 2}));
    EXPECT_EQ(skipped(policy, windowed(*policy, {.batch = 2, .window = 2}, balance_heuristic()), 3),
              (std::vector<Index>{0, 0, 1, 2, 2, 2, 2}));
  }
}

TEST(HugeAction, IsSkippedOnceWithoutAWindow) {
  const std::shared_ptr<const Policy> policy = scalar_policy();
  EXPECT_EQ(skipped(policy, on_policy(2, Credit::kRewardToGo), 3), (std::vector<Index>{0, 0, 1, 1, 1, 1, 1}));
}

TEST(HugeAction, IsNotCarriedOnByARecursion) {
  const std::shared_ptr<const Policy> policy =
      linear_gaussian({.observation_size = 1, .action_size = 1, .evidence = EvidenceKind::kSteps});
  const auto estimator = [&] { return svrpg(*policy, {.sizes = {.snapshot = 2, .mini_batch = 2}, .epoch = 3}); };
  EXPECT_EQ(skipped(policy, estimator(), 2), (std::vector<Index>{0, 1, 1, 1, 1, 1, 1})) << "a mini-batch";
  EXPECT_EQ(skipped(policy, estimator(), 4), (std::vector<Index>{0, 0, 0, 1, 1, 1, 1})) << "a snapshot";
}

}  // namespace
}  // namespace retropg::test
