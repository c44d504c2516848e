#include <gtest/gtest.h>

#include <cmath>

#include "retropg/core/numerics.hpp"
#include "retropg/training/evaluate.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

struct Runs {
  std::vector<double> gains;  // of the returned policy over the last one, on fresh episodes
  int covered = 0;
};

/// A hundred runs on Cart Pole, each with a thousand fresh episodes.
Runs runs(std::vector<std::string> settings) {
  Runs result;
  for (int seed = 1; seed <= 100; ++seed) {
    Configuration configuration = configured(settings);
    configuration.train.seed = static_cast<std::uint64_t>(seed);
    configuration.train.threads = 1;
    TrainingRun run(configuration);
    const RunResult trained = run.train();
    const auto fresh = [&](const std::vector<double>& theta) {
      return mean(evaluate(run.environment(), run.trainer().policy(), theta,
                           {.episodes = 1000, .seed = static_cast<std::uint64_t>(1000 + seed)}));
    };
    const EstimatedReturn estimate = run.trainer().output_return();
    const double truth = fresh(trained.output);
    result.covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    result.gains.push_back(truth - fresh(trained.last));
  }
  return result;
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

}  // namespace
}  // namespace retropg::test
