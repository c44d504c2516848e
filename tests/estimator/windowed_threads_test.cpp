#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "retropg/estimator/windowed.hpp"
#include "support/bits.hpp"
#include "support/drift_environment.hpp"
#include "support/laboratory.hpp"
#include "support/many_threads.hpp"
#include "support/random_batch.hpp"
#include "support/windowed_estimates.hpp"

namespace retropg::test {
namespace {

TEST(WindowedThreads, DoNotChangeABit) {
  const ManyThreads allowed;
  // Three batches of 301 trajectories are 228 chunks, in ranges of 64: three threads all have work.
  const auto run = [](Index threads, const std::function<std::unique_ptr<WeightRule>()>& make_rule) {
    Laboratory lab(drift(), {.variance = {0.4}}, 8, threads);
    const auto estimator = windowed(lab.policy(), {.batch = 301, .window = 3}, make_rule());
    std::vector<double> all;
    for (Index k = 1; k <= 4; ++k) {
      const Estimate estimate = lab.iterate(*estimator, random_numbers(2, 0.1, static_cast<std::uint64_t>(k)), k);
      const std::vector<double> one = numbers(estimate);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  };
  for (const auto& make_rule : all_rules()) {
    const std::vector<double> one = run(1, make_rule);
    for (const Index threads : {2, 3}) EXPECT_EQ(bits(run(threads, make_rule)), bits(one));
  }
}

}  // namespace
}  // namespace retropg::test
