// Neither threads nor lanes change a bit of any baseline.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/algorithm_runs.hpp"
#include "support/many_threads.hpp"

namespace retropg::test {
namespace {

class BaselineConformanceThreads : public testing::TestWithParam<std::string> {
 protected:
  static Configuration configuration(const std::string& algorithm, const std::vector<std::string>& more) {
    std::vector<std::string> settings = {"env.id=CartPole",    "env.horizon=30",         "env.discount=0.97",
                                         "algo.batch=41",      "algo.window=3",          "train.threads=1",
                                         "train.iterations=6", "train.seed=4",           "optimizer.rate=0.1",
                                         "baseline.rate=0.2",  "algo.name=" + algorithm, "algo.baseline=" + GetParam()};
    settings.insert(settings.end(), more.begin(), more.end());
    return configured(settings);
  }
};

TEST_P(BaselineConformanceThreads, AndLanesDoNotChangeABit) {
  const ManyThreads allowed;
  for (const std::string algorithm : {"rpg", "reinforce"}) {
    const auto once = run(configuration(algorithm, {}));
    for (const std::string lanes : {"4", "64"}) {
      EXPECT_TRUE(run(configuration(algorithm, {"train.threads=3", "train.lanes=" + lanes})) == once);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Baselines, BaselineConformanceThreads,
                         testing::Values("mean", "leave-one-out", "peters", "running-mean", "value", "value-fresh"),
                         test_name);

}  // namespace
}  // namespace retropg::test
