// Iterations with more than one draw: what the curve shows, and what a baseline is computed on.
#include <gtest/gtest.h>

#include "retropg/core/archive.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/baseline/baseline.hpp"
#include "retropg/training/trainer.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

const LinearGaussianOptions kPolicy{.observation_size = 1, .action_size = 1, .variance = {0.5}};

/// Asks for two trajectories of the current policy, one with wider actions and one of another policy, and hands out the
/// credits' sum as gradient.
class ThreeDraws final : public Estimator {
 public:
  std::vector<Draw> plan(Index, Parameters theta, Index, const OrderedSum&) override {
    const std::vector<double> current(theta.begin(), theta.end());
    return {{.behavior = current, .count = 2},
            {.behavior = current, .count = 1, .spread = 2.0},
            {.behavior = {7.0}, .count = 1}};
  }
  Estimate estimate(Parameters, std::vector<Batch> fresh, const OrderedSum&) override {
    for (const Batch& batch : fresh) {
      const auto& steps = as<StepwiseEvidence>(*batch.evidence);
      std::vector<double> credits(as_size(steps.first_step(batch.evidence->size())));
      steps.step_credits(0, chunk_count(batch.evidence->size()), credits.data());
      seen.insert(seen.end(), credits.begin(), credits.end());
      spreads.push_back(batch.spread);
    }
    return {.gradient = {1.0}};
  }
  Index largest_iteration() const override { return 4; }
  double iterations_within(double budget) const override { return budget / 4.0; }
  double bytes_needed(double, double) const override { return 0.0; }
  void state(Archive&) override {}

  std::vector<double> seen, spreads;
};

TrajectoryBatch of_rewards(const std::vector<double>& rewards) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1, .collected = true};  // else refused
  for (const double reward : rewards) {
    batch.add(std::vector{0.5}, std::vector{0.25}, reward);
    batch.close();
  }
  return batch;
}

class Draws : public testing::Test {
 protected:
  Trainer trainer(std::unique_ptr<Baseline> baseline = nullptr) {
    LinearGaussianOptions options = kPolicy;
    options.evidence = EvidenceKind::kSteps;
    auto estimator = std::make_unique<ThreeDraws>();
    estimator_ = estimator.get();
    return Trainer(linear_gaussian(options), std::move(estimator), constant_step(0.1), {.horizon = 1}, 1,
                   std::move(baseline));
  }

  ThreeDraws* estimator_ = nullptr;
};

TEST_F(Draws, OnlyThoseOfTheCurrentPolicyAreOnTheCurve) {
  Trainer subject = trainer();
  subject.tell(of_rewards({1.0, 3.0}));
  subject.tell(of_rewards({100.0}));  // as the policy, but wider
  subject.tell(of_rewards({1000.0}));
  const IterationRecord record = subject.update();
  EXPECT_EQ(record.return_mean, 2.0);
  EXPECT_EQ(record.trajectories, 4) << "what was collected counts, from whichever policy";
  EXPECT_EQ(estimator_->spreads, (std::vector{1.0, 2.0, 1.0}));
}

TEST_F(Draws, ShareOneBaseline) {
  Trainer subject = trainer(mean_baseline({.horizon = 1}));
  subject.tell(of_rewards({1.0, 3.0}));
  subject.tell(of_rewards({4.0}));
  subject.tell(of_rewards({8.0}));
  subject.update();
  EXPECT_EQ(estimator_->seen, (std::vector{-3.0, -1.0, 0.0, 4.0}));
}

TEST_F(Draws, WithABaselineMustBeAnsweredWithSteps) {
  Trainer subject = trainer(mean_baseline({.horizon = 1}));
  const auto policy = linear_gaussian(kPolicy);
  const std::vector<double> theta{0.0};
  expect_throw(
      [&] {
        subject.tell(
            Batch{.evidence = policy->digest(theta, of_rewards({1.0}), 1.0, Credit::kRewardToGo), .returns = {1.0}});
      },
      "a baseline needs steps");
}

TEST(DefensiveDraws, OfOneTrajectoryEachKeepTheirCorrectionWithAMeanBaseline) {
  Session session(configured({"algo.name=def-pg", "algo.batch=4", "algo.baseline=mean", "algo.refresh=0",
                              "optimizer.rate=0.1", "train.threads=1"}));
  const double snapshot = session.iterate().gradient_norm;
  EXPECT_NE(session.iterate().gradient_norm, snapshot);
}

}  // namespace
}  // namespace retropg::test
