#include "retropg/configuration/train.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/statistics/curve.hpp"
#include "retropg/statistics/statistics.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr std::uint64_t kSeeds = 20;

/// One way to train: an algorithm with the paper's settings for Cart Pole (N = 10, windows of 8, Adam 0.01) and what is
/// set otherwise.
struct Training {
  std::string name = {};  // of the test
  std::vector<std::string> settings = {};
  Index budget = 10000;  // collected trajectories
  double least = 100.0;  // what the whole interval of the gain must exceed
};

void PrintTo(const Training& training, std::ostream* out) {
  *out << training.name;
}

/// Every algorithm of the registry, one that is new with the plain settings.
std::vector<Training> trainings() {
  // REINFORCE's whole return makes its gradients noisy. Those that draw parameters learn more slowly at this rate, PGPE
  // most of all. PAGE-PG and DEF-PG fall back on the way at some seeds. POIS with ten steps on a batch of ten reaches
  // the top at some seeds only, with one step at all. NES with its usual two draws has learned most within the first 60
  // trajectories, so it draws more.
  std::map<std::string, Training> special = {
      {"reinforce", {.budget = 30000, .least = 40.0}},
      {"pgpe", {.least = 10.0}},
      {"pb-rpg", {.least = 80.0}},
      {"pb-miw", {.least = 80.0}},
      {"pb-bh", {.least = 80.0}},
      {"page-pg", {.least = 50.0}},
      {"def-pg", {.least = 50.0}},
      {"nes",
       {.settings = {"policy.scaling=pilot", "policy.width=0.5", "algo.batch=20", "algo.window=all"}, .budget = 1000}},
      {"pois", {.settings = {"pois.offline=1"}}},
  };
  std::vector<Training> result;
  for (const AlgorithmEntry& entry : algorithms()) {
    result.push_back(special[entry.name]);
    result.back().name = entry.name;
    result.back().settings.push_back("algo.name=" + entry.name);
  }
  result.push_back({"rpg-full-reuse", {"algo.name=rpg", "algo.window=all"}, 4000, 50.0});
  for (Training& training : result) std::ranges::replace(training.name, '-', '_');
  return result;
}

/// Mean return over collected trajectories.
Curve curve(const Training& training, std::uint64_t seed) {
  Configuration configuration =
      configured({"env.id=CartPole", "algo.batch=10", "algo.window=8", "optimizer.rate=0.01", "train.threads=1"});
  for (const std::string& setting : training.settings) apply_setting(configuration, setting);
  configuration.train.budget = training.budget;
  configuration.train.seed = seed;
  Curve result;
  train(configuration, [&](const IterationRecord& record) {
    result.x.push_back(static_cast<double>(record.trajectories));
    result.y.push_back(record.return_mean);
    return true;
  });
  EXPECT_EQ(result.x.back(), static_cast<double>(training.budget));
  return result;
}

/// Mean of a curve over the iterations that ended after so many trajectories.
double mean_between(const Curve& curve, double after, double last) {
  std::vector<double> values;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] > after && curve.x[i] <= last) values.push_back(curve.y[i]);
  }
  EXPECT_FALSE(values.empty());
  return mean(values);
}

class TrainsOnCartPole : public testing::TestWithParam<Training> {};

TEST_P(TrainsOnCartPole, ImprovesOverItsStart) {
  // Gain of a run: mean return over its last 200 trajectories minus that over its first 60, the untrained policy (about
  // 42; a snapshot of a recursive method is 55). The 99.9 % Student t interval over 20 seeds must lie above `least`: a
  // method that does not learn has gain 0, and passes with a chance below 5e-4. Most gains are about 155 with an
  // interval of some +- 10 (200 is the most there is), so that sound code stays far from `least`; where it is lower,
  // so are gains, as docs/methods/ tells.
  const Training& training = GetParam();
  const auto end = static_cast<double>(training.budget);
  std::vector<double> gains;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Curve one = curve(training, seed);
    gains.push_back(mean_between(one, end - 200.0, end) - mean_between(one, 0.0, 60.0));
  }
  const Interval interval = mean_interval(gains, 0.999);
  EXPECT_GT(interval.low, training.least) << mean(gains) << ", interval " << interval.low << " to " << interval.high;
  RecordProperty("gain", std::to_string(mean(gains)));
  RecordProperty("low", std::to_string(interval.low));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, TrainsOnCartPole, testing::ValuesIn(trainings()),
                         [](const auto& training) { return training.param.name; });

TEST(ReuseOnCartPole, IsAheadOfGpomdpAtEqualTrajectories) {
  // Areas under the curve over the same 5000 collected trajectories, 20 seeds a side: Welch's 99.9 % interval of the
  // difference must lie above 10, the smallest difference that counts on Cart Pole (the differences are about 45).
  constexpr Index kBudget = 5000;
  const auto areas = [](const std::string& algorithm) {
    const Training training{.name = algorithm, .settings = {"algo.name=" + algorithm}, .budget = kBudget};
    std::vector<double> result;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      result.push_back(area_under_curve(curve(training, seed), static_cast<double>(kBudget)));
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
