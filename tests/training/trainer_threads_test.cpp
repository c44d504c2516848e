#include "retropg/training/trainer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "support/many_threads.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

struct Trained {
  std::vector<std::vector<std::uint64_t>> records;
  std::vector<std::uint64_t> last, best;
  bool operator==(const Trained&) const = default;
};

Trained trained(Configuration configuration, Index threads, Index lanes) {
  configuration.train.threads = threads;
  configuration.train.lanes = lanes;
  Trained result;
  const RunResult run = train(configuration, [&](const IterationRecord& record) {
    result.records.push_back(bits(record));
    return true;
  });
  result.last = bits(run.last);
  result.best = bits(run.best);
  return result;
}

using ThreadsCase = std::tuple<const char*, const char*, const char*>;  // environment, algorithm, evidence

class TrainerThreads : public testing::TestWithParam<ThreadsCase> {
 protected:
  ManyThreads many_threads;
  static Configuration configuration() {
    const auto& [environment, algorithm, evidence] = GetParam();
    // 37 trajectories fill neither a chunk nor a block.
    return configured({std::string("env.id=") + environment, std::string("algo.name=") + algorithm,
                       std::string("policy.evidence=") + evidence, "algo.batch=37", "algo.window=3",
                       "lqr.process_noise=0.1", "train.iterations=6"});
  }
};

TEST_P(TrainerThreads, DoNotChangeABit) {
  const Trained expected = trained(configuration(), 1, 32);
  EXPECT_NE(expected.last, bits(std::vector<double>(expected.last.size(), 0.0))) << "something was learned";
  for (const Index threads : {2, 3}) EXPECT_EQ(trained(configuration(), threads, 32), expected) << threads;
}

TEST_P(TrainerThreads, AndLanesDoNotChangeABit) {
  const Trained expected = trained(configuration(), 1, 32);
  for (const Index lanes : {4, 8, 12, 40, 64}) {
    EXPECT_EQ(trained(configuration(), lanes % 3 + 1, lanes), expected) << lanes << " lanes";
  }
}

TEST_P(TrainerThreads, ButTheSeedDoes) {
  Configuration other = configuration();
  other.train.seed = 2;
  EXPECT_NE(trained(other, 1, 32), trained(configuration(), 1, 32));
}

INSTANTIATE_TEST_SUITE_P(
    Trainer, TrainerThreads,
    testing::Values(ThreadsCase{"CartPole", "rpg", "moments"}, ThreadsCase{"CartPole", "rpg", "steps"},
                    ThreadsCase{"CartPole", "miw-pg", "moments"}, ThreadsCase{"CartPole", "bh-pg", "moments"},
                    ThreadsCase{"CartPole", "bh-pg", "steps"}, ThreadsCase{"CartPole", "gpomdp", "moments"},
                    ThreadsCase{"LQR", "rpg", "moments"}, ThreadsCase{"Bandit", "rpg", "auto"}));

}  // namespace
}  // namespace retropg::test
