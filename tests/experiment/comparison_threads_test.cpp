#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/comparison_output.hpp"
#include "retropg/experiment/comparison.hpp"
#include "support/expect_throw.hpp"
#include "support/many_threads.hpp"
#include "support/run_comparison.hpp"

namespace retropg::test {
namespace {

TEST(ComparisonThreads, DoNotChangeTheReport) {
  const ManyThreads many;
  ComparisonPlan plan{.title = "small", .base = {}, .arms = parse_arm_list("all"), .seeds = 3, .budget = 103};
  plan.base.env.id = "LinearQuadratic-v0";
  std::string first;
  for (const Index threads : {1, 2, 5}) {
    plan.threads = threads;
    const std::string json = app::comparison_json(run_comparison(prepare(plan))).dump();
    if (first.empty()) first = json;
    EXPECT_EQ(json, first) << threads;
  }
}

TEST(RunArmsThreads, ARunThatFailsEndsTheOthers) {
  Arm endless{.label = "endless", .configuration = {}}, broken{.label = "broken", .configuration = {}};
  endless.configuration.train.budget = 10'000'000'000;  // hours
  broken.configuration.env.id = "LinearQuadratic-v0";
  broken.configuration.lqr.dynamics = {1e200, 0.0, 0.0, 1e200};
  broken.configuration.train.iterations = 10;
  const ManyThreads allowed;
  const std::vector<Arm> arms{broken, endless};
  expect_throw<RunError>([&] { run_arms(arms, 1, shared_seeds(1), 2, {}); }, "arm 'broken', seed 1");
}

}  // namespace
}  // namespace retropg::test
