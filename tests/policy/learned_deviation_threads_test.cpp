#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/many_threads.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

TEST(LearnedDeviationThreads, AndLanesDoNotChangeABitOfWhatIsCollected) {
  const ManyThreads allowed;
  for (const std::string kind : {"linear-gaussian", "mlp-gaussian"}) {
    const Configuration configuration =
        configured({"policy.kind=" + kind, "policy.hidden=[6]", "policy.bias=true", "policy.learn_deviation=true"});
    const EnvironmentDefinition environment = make_environment(configuration);
    const auto policy = make_policy(configuration, environment);
    const std::vector<double> theta = policy->initial_parameters(2);
    const auto collect = [&](Index threads, Index lanes) {
      const Workers workers(threads);
      Collector collector(environment, *policy, {.seed = 4, .lanes = lanes}, workers);
      return bits(collector.collect(theta, 3, 0, 50).evidence->numbers());
    };
    const auto expected = collect(1, 32);
    for (const Index threads : {1, 2, 3}) {
      for (const Index lanes : {4, 12, 64}) EXPECT_EQ(collect(threads, lanes), expected);
    }
  }
}

TEST(LearnedDeviationThreads, DoNotChangeABitOfTraining) {
  const ManyThreads allowed;
  for (const std::string algorithm : {"rpg", "storm-pg", "rnpg", "pois"}) {
    SCOPED_TRACE(algorithm);
    const auto trained = [&](const std::vector<std::string>& more) {
      std::vector<std::string> settings = {"policy.learn_deviation=true", "algo.batch=7", "algo.window=3",
                                           "algo.name=" + algorithm};
      settings.insert(settings.end(), more.begin(), more.end());
      Session session(configured(settings));
      for (int k = 0; k < 5; ++k) EXPECT_EQ(session.iterate().skipped, 0);
      return bits(session.trainer.parameters());
    };
    const std::vector<std::uint64_t> expected = trained({"train.threads=1"});
    EXPECT_EQ(trained({"train.threads=2"}), expected);
    EXPECT_EQ(trained({"train.threads=3", "train.lanes=4"}), expected);
    EXPECT_NE(trained({"train.threads=1", "train.seed=2"}), expected);
  }
}

}  // namespace
}  // namespace retropg::test
