#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/algorithm_runs.hpp"
#include "support/many_threads.hpp"

namespace retropg::test {
namespace {

class StepLimitThreads : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  ManyThreads many_threads;
  /// 37 trajectories fill neither a chunk nor a block; the limit shortens the steps.
  static Configuration configuration(Index threads = 1, Index lanes = 32) {
    Configuration result = configured({"env.horizon=50", "algo.batch=37", "algo.window=3", "optimizer.rate=0.3",
                                       "optimizer.trust=0.1", "train.iterations=6"});
    for (const std::string& setting : GetParam()) apply_setting(result, setting);
    result.train.threads = threads;
    result.train.lanes = lanes;
    return result;
  }
};

TEST_P(StepLimitThreads, ChangeNoBit) {
  const Outcome expected = run(configuration());
  for (const Index threads : {2, 3}) EXPECT_TRUE(run(configuration(threads)) == expected) << threads;
  for (const Index lanes : {4, 12, 40}) EXPECT_TRUE(run(configuration(2, lanes)) == expected) << lanes << " lanes";
}

TEST_P(StepLimitThreads, NorDoesResuming) {
  Session whole(configuration()), resumed(configuration());
  for (int k = 0; k < 3; ++k) EXPECT_LT(whole.iterate().limited->factor, 1.0);
  Archive saved(Archive::Mode::kSave);
  whole.trainer.state(saved);
  Archive restored(saved.state());
  resumed.trainer.state(restored);
  while (!whole.trainer.finished()) EXPECT_EQ(bits(resumed.iterate()), bits(whole.iterate()));
  EXPECT_EQ(state_of(resumed.trainer), state_of(whole.trainer));
}

INSTANTIATE_TEST_SUITE_P(Evidence, StepLimitThreads,
                         testing::Values(std::vector<std::string>{"policy.evidence=moments"},
                                         std::vector<std::string>{"policy.evidence=steps"},
                                         std::vector<std::string>{"policy.kind=mlp-gaussian", "policy.hidden=[8]"},
                                         std::vector<std::string>{"algo.name=bpo", "algo.baseline=value"}));

}  // namespace
}  // namespace retropg::test
