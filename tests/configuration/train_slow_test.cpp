#include "retropg/configuration/train.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/statistics/curve.hpp"
#include "retropg/statistics/statistics.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr Index kBatch = 10;

/// Mean return over collected trajectories with the paper's settings for Cart Pole (N = 10, Adam 0.01).
Curve curve(const std::string& algorithm, const std::string& window, Index budget, std::uint64_t seed) {
  Configuration configuration = configured({"env.id=CartPole", "algo.window=" + window, "optimizer.rate=0.01"});
  configuration.algo.name = algorithm;
  configuration.algo.batch = kBatch;
  configuration.train.budget = budget;
  configuration.train.seed = seed;
  Curve result;
  train(configuration, [&](const IterationRecord& record) {
    result.x.push_back(static_cast<double>(record.trajectories));
    result.y.push_back(record.return_mean);
    return true;
  });
  return result;
}

double mean_of(const std::vector<double>& values, std::size_t first, std::size_t count) {
  return mean(std::span(values).subspan(first, count));
}

struct Trained {
  const char* algorithm;
  const char* window;
  Index budget;  // collected trajectories
  double least;  // what the whole interval of the gain must exceed
};

class TrainsOnCartPole : public testing::TestWithParam<Trained> {};

TEST_P(TrainsOnCartPole, ImprovesOverItsStart) {
  // Gain of a run: mean return of its last 20 batches minus that of its first 5, the untrained policy (about 42). The
  // 99.9 % Student t interval over 20 seeds must lie above `least`: a method that does not learn has gain 0, and passes
  // with a chance below 5e-4. The gains are about 155 (200 is the most there is), 130 for full reuse after 4000
  // trajectories, and 120 for REINFORCE, whose whole return makes its gradients noisy. Of those that draw parameters
  // PGPE has come to 27 and the others to 130: at this rate they learn more slowly.
  std::vector<double> gains;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<double> y = curve(GetParam().algorithm, GetParam().window, GetParam().budget, seed).y;
    ASSERT_EQ(y.size(), as_size(GetParam().budget / kBatch));
    gains.push_back(mean_of(y, y.size() - 20, 20) - mean_of(y, 0, 5));
  }
  const Interval interval = mean_interval(gains, 0.999);
  EXPECT_GT(interval.low, GetParam().least) << mean(gains) << ", interval " << interval.low << " to " << interval.high;
  RecordProperty("gain", std::to_string(mean(gains)));
  RecordProperty("low", std::to_string(interval.low));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, TrainsOnCartPole,
                         testing::Values(Trained{"rpg", "8", 10000, 100.0}, Trained{"rpg-theory", "8", 10000, 100.0},
                                         Trained{"miw-pg", "8", 10000, 100.0}, Trained{"bh-pg", "8", 10000, 100.0},
                                         Trained{"rpg", "all", 4000, 50.0}, Trained{"gpomdp", "1", 10000, 100.0},
                                         Trained{"pgt", "1", 10000, 100.0}, Trained{"reinforce", "1", 30000, 40.0},
                                         Trained{"pgpe", "1", 10000, 10.0}, Trained{"pb-rpg", "8", 10000, 80.0},
                                         Trained{"pb-miw", "8", 10000, 80.0}, Trained{"pb-bh", "8", 10000, 80.0}),
                         [](const auto& trained) {
                           std::string name = std::string(trained.param.algorithm) + "_window_" + trained.param.window;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ReuseOnCartPole, IsAheadOfGpomdpAtEqualTrajectories) {
  // Areas under the curve over the same 5000 collected trajectories, 20 seeds a side: Welch's 99.9 % interval of the
  // difference must lie above 10, the smallest difference that counts on Cart Pole (the differences are about 45).
  constexpr Index kBudget = 5000;
  const auto areas = [](const std::string& algorithm) {
    std::vector<double> result;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      result.push_back(area_under_curve(curve(algorithm, "8", kBudget, seed), static_cast<double>(kBudget)));
    }
    return result;
  };
  const std::vector<double> on_policy = areas("gpomdp");
  for (const char* algorithm : {"rpg", "miw-pg", "bh-pg", "rpg-theory"}) {
    const std::vector<double> reuse = areas(algorithm);
    const Interval ahead = welch_interval(reuse, on_policy, 0.999);
    EXPECT_GT(ahead.low, 10.0) << algorithm << " " << mean(reuse) << " against " << mean(on_policy) << ", difference "
                               << ahead.low << " to " << ahead.high;
    RecordProperty(std::string(algorithm),
                   std::to_string(mean(reuse) - mean(on_policy)) + "," + std::to_string(ahead.low));
  }
}

}  // namespace
}  // namespace retropg::test
