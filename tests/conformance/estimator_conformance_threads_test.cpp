// Neither threads nor lanes change a bit of any algorithm of the registry.
#include <gtest/gtest.h>

#include <string>

#include "support/algorithm_runs.hpp"
#include "support/many_threads.hpp"

namespace retropg::test {
namespace {

class EstimatorConformanceThreads : public EveryAlgorithm {};

TEST_P(EstimatorConformanceThreads, DoNotChangeABit) {
  const ManyThreads allowed;
  // 301 trajectories are 76 chunks, and three batches of them more than three threads' worth of work.
  const auto with = [&](const std::string& threads) {
    return run(configuration({"algo.batch=301", "train.iterations=4", "env.horizon=12", "train.threads=" + threads}));
  };
  const Outcome one = with("1");
  for (const std::string threads : {"2", "3"}) EXPECT_TRUE(with(threads) == one) << threads << " threads";
}

TEST_P(EstimatorConformanceThreads, AndLanesDoNotChangeABit) {
  const ManyThreads allowed;
  const Outcome once = run(configuration({"algo.batch=21"}));
  for (const std::string lanes : {"4", "8", "64"}) {
    EXPECT_TRUE(run(configuration({"algo.batch=21", "train.threads=2", "train.lanes=" + lanes})) == once) << lanes;
  }
}

TEST_P(EstimatorConformanceThreads, AndLanesDoNotChangeABitWithDiscreteActions) {
  if (GetParam() == "bpo") GTEST_SKIP() << "needs a spread of the actions";
  const ManyThreads allowed;
  const std::vector<std::string> settings = {"env.id=CartPole-v1", "algo.batch=61", "train.iterations=4",
                                             "env.horizon=20"};
  const Outcome once = run(configuration(settings));
  for (const auto& [threads, lanes] : {std::pair("2", "8"), std::pair("3", "64")}) {
    std::vector<std::string> more = settings;
    more.push_back("train.threads=" + std::string(threads));
    more.push_back("train.lanes=" + std::string(lanes));
    EXPECT_TRUE(run(configuration(more)) == once) << threads << " threads, " << lanes << " lanes";
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EstimatorConformanceThreads, testing::ValuesIn(algorithm_names()), test_name);

}  // namespace
}  // namespace retropg::test
