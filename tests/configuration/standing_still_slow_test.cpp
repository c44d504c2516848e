// Runs that never left a plateau before nes noticed that it stood still.
#include <gtest/gtest.h>

#include "retropg/configuration/preset.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/training/evaluate.hpp"

namespace retropg::test {
namespace {

class LeavesThePlateau : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LeavesThePlateau, WithTheDefaultOfCartPole) {
  Configuration configuration = preset_configuration("CartPole");
  configuration.train.seed = GetParam();
  TrainingRun run(configuration);
  const RunResult result = run.train();
  EXPECT_EQ(result.output_name, "centroid");
  const std::vector<double> returns = evaluate(run.environment(), run.trainer().policy(), result.output,
                                               {.episodes = 200, .seed = 900'000, .deterministic = true});
  EXPECT_GE(mean(returns), 190.0);
}

INSTANTIATE_TEST_SUITE_P(SeedsThatWereStuck, LeavesThePlateau, testing::Values(4, 14, 10001, 10100, 10102),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace retropg::test
