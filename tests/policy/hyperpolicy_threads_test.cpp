#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/drift_environment.hpp"
#include "support/hyper_batch.hpp"
#include "support/many_threads.hpp"

namespace retropg::test {
namespace {

TEST(HyperpolicyThreads, AndLanesDoNotChangeABit) {
  const ManyThreads allowed;
  for (const auto& inner : {std::shared_ptr<const Policy>(linear_inner(2)),
                            std::shared_ptr<const Policy>(mlp_gaussian(
                                {.observation_size = 2, .action_size = 1, .hidden = {6}, .bias = true}))}) {
    const auto policy = hyperpolicy(inner, {.variance = {0.3}, .learn_deviation = true});
    const std::vector<double> xi = policy->initial_parameters(2);
    const auto collect = [&](Index threads, Index lanes, Index first, Index count) {
      const Workers workers(threads);
      Collector collector(drift(), *policy, {.seed = 4, .lanes = lanes}, workers);
      return bits(collector.collect(xi, 3, first, count).evidence->numbers());
    };
    const auto expected = collect(1, 32, 0, 50);
    for (const Index threads : {1, 2, 3}) {
      for (const Index lanes : {4, 12, 64}) EXPECT_EQ(collect(threads, lanes, 0, 50), expected);
    }
    std::vector<std::uint64_t> parts = collect(2, 8, 0, 13), rest = collect(1, 4, 13, 37);
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(parts, expected) << "a draw belongs to its trajectory, not to the call";
  }
}

}  // namespace
}  // namespace retropg::test
