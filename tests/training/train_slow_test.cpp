#include "retropg/training/train.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/experiment/curve.hpp"
#include "retropg/experiment/statistics.hpp"
#include "support/session.hpp"

namespace retropg {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr Index kBudget = 10000;  // collected trajectories of a run; N = 10, so 1000 iterations

/// Mean return over collected trajectories; the paper's settings for Cart Pole (N = 10, omega = 8, Adam 0.01).
Curve curve(const std::string& algorithm, std::uint64_t seed) {
  Configuration configuration =
      configured({"env.id=CartPole", "algo.batch=10", "algo.window=8", "optimizer.rate=0.01"});
  configuration.algo.name = algorithm;
  configuration.train.budget = kBudget;
  configuration.train.seed = seed;
  Curve result;
  train(configuration, [&](const IterationRecord& record) {
    result.x.push_back(static_cast<double>(record.trajectories));
    result.y.push_back(record.return_mean);
    return true;
  });
  return result;
}

std::vector<double> areas(const std::string& algorithm) {
  std::vector<double> result;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    result.push_back(area_under_curve(curve(algorithm, seed), static_cast<double>(kBudget)));
  }
  return result;
}

double mean_of(const std::vector<double>& values, std::size_t first, std::size_t count) {
  return mean(std::span(values).subspan(first, count));
}

class TrainsOnCartPole : public testing::TestWithParam<const char*> {};

TEST_P(TrainsOnCartPole, ImprovesOverItsStart) {
  // Improvement of a run: mean return of its last 20 batches minus that of its first 5 (about 42, the untrained
  // policy). The 99.9 % Student t interval over 10 seeds must lie above 20: a method that does not learn would have to
  // be far out by luck (chance below 5e-4), and the slowest of them gains about 60.
  std::vector<double> gains;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<double> y = curve(GetParam(), seed).y;
    ASSERT_EQ(y.size(), static_cast<std::size_t>(kBudget / 10));
    gains.push_back(mean_of(y, y.size() - 20, 20) - mean_of(y, 0, 5));
  }
  const Interval interval = mean_interval(gains, 0.999);
  EXPECT_GT(interval.low, 20.0) << "gain " << mean(gains) << ", interval " << interval.low << " to " << interval.high;
  RecordProperty("gain", std::to_string(mean(gains)));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, TrainsOnCartPole,
                         testing::Values("rpg", "rpg-theory", "miw-pg", "bh-pg", "gpomdp", "reinforce", "pgt"));

TEST(TrainsOnCartPole, ReuseIsAheadOfGpomdpAtEqualTrajectories) {
  // Areas under the curve over the same 4000 collected trajectories, 10 seeds a side: Welch's 99.9 % interval of the
  // difference must lie above 5 (the differences are about 30 to 40).
  const std::vector<double> on_policy = areas("gpomdp");
  for (const char* algorithm : {"rpg", "miw-pg", "bh-pg", "rpg-theory"}) {
    const std::vector<double> reuse = areas(algorithm);
    const Interval ahead = welch_interval(reuse, on_policy, 0.999);
    EXPECT_GT(ahead.low, 5.0) << algorithm << " " << mean(reuse) << " against " << mean(on_policy) << ", difference "
                              << ahead.low << " to " << ahead.high;
  }
}

TEST(TrainsOnCartPole, FullReuseLearnsToo) {
  std::vector<double> gains;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Configuration configuration = configured({"env.id=CartPole", "algo.window=all", "train.budget=3000"});
    configuration.train.seed = seed;
    std::vector<double> returns;
    train(configuration, [&](const IterationRecord& record) { return returns.push_back(record.return_mean), true; });
    gains.push_back(mean_of(returns, returns.size() - 20, 20) - mean_of(returns, 0, 5));
  }
  EXPECT_GT(mean_interval(gains, 0.999).low, 20.0) << mean(gains);
}

}  // namespace
}  // namespace retropg
