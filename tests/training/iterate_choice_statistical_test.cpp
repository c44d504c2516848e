#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "retropg/configuration/preset.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/training/evaluate.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

struct Runs {
  std::vector<double> gains;  // of the returned policy over the last one, on fresh episodes
  int covered = 0;
  int earlier = 0;  // iterates returned
};

/// A hundred runs, each with fresh episodes.
Runs runs(Configuration configuration, Index episodes = 1000) {
  Runs result;
  configuration.train.threads = 1;
  for (int seed = 1; seed <= 100; ++seed) {
    configuration.train.seed = static_cast<std::uint64_t>(seed);
    TrainingRun run(configuration);
    const RunResult trained = run.train();
    const auto fresh = [&](const std::vector<double>& theta) {
      return mean(evaluate(run.environment(), run.trainer().policy(), theta,
                           {.episodes = episodes, .seed = static_cast<std::uint64_t>(1000 + seed)}));
    };
    const EstimatedReturn estimate = run.trainer().output_return();
    const double truth = fresh(trained.output);
    result.covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    result.earlier += trained.output_name == "estimated" ? 1 : 0;
    result.gains.push_back(truth - fresh(trained.last));
  }
  return result;
}

Runs runs(const std::vector<std::string>& settings) {
  return runs(configured(settings));
}

/// At a level of 95 % fewer than 89 of 100 have a probability below 0.01. More than 98 are no error: some runs end with
/// a policy that never fails, and every sensible interval covers its return.
constexpr int kFewest = 89;

TEST(ReturnedPolicy, IsNoWorseThanTheLastWhileReturnsRise) {
  const Runs rising = runs({"algo.batch=4", "train.budget=1000"});
  EXPECT_GE(rising.covered, kFewest);
  EXPECT_GT(mean(rising.gains), -0.2);
}

TEST(ReturnedPolicy, IsBetterThanTheLastWhereReturnsFallAgain) {
  const Runs unstable = runs({"algo.batch=4", "optimizer.rate=0.3", "train.budget=2000"});
  EXPECT_GE(unstable.covered, kFewest);
  EXPECT_GT(mean(unstable.gains), 5.0);
}

/// Returns of the linear-quadratic regulator have a long lower tail: a batch without one of them has a high mean and a
/// small spread. If 95 % were covered, fewer than 270 of 300 would have a probability below 0.0002.
TEST(ReturnedPolicy, HasAnIntervalThatHoldsWhereReturnsAreSkewed) {
  int covered = 0;
  for (const auto& [algorithm, batch, budget] :
       {std::tuple{"gpomdp", 3, 30}, std::tuple{"gpomdp", 10, 100}, std::tuple{"rpg", 3, 30}}) {
    Configuration configuration = preset_configuration("LQR", algorithm);
    configuration.algo.batch = batch;
    configuration.train.budget = budget;
    covered += runs(configuration, 3000).covered;
  }
  EXPECT_GE(covered, 270);
}

TEST(ReturnedPolicy, IsNotALuckyBatchOfTwo) {
  const Runs small = runs({"env.id=LQR", "algo.name=gpomdp", "algo.batch=2", "train.budget=300"});
  EXPECT_LE(small.earlier, 2) << "none is clearly better than the last";
  EXPECT_GE(small.covered, kFewest);
}

}  // namespace
}  // namespace retropg::test
