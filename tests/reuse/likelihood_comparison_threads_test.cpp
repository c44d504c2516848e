#include <gtest/gtest.h>

#include <vector>

#include "retropg/reuse/likelihood_comparison.hpp"
#include "support/bits.hpp"
#include "support/many_threads.hpp"
#include "support/random_batch.hpp"
#include "support/scripted_evidence.hpp"

namespace retropg::test {
namespace {

std::vector<double> divergences(const Window& window, Index threads) {
  const Workers workers(threads);
  const OrderedSum sum(workers);
  LikelihoodComparison comparison;
  std::vector<double> result;
  compare(window, std::vector{0.0}, 2.0, sum, comparison);
  log_divergences(window, comparison, {}, sum, result);
  return result;
}

TEST(DivergenceThreads, DoNotChangeABit) {
  const ManyThreads allowed;
  Window window(kFullReuse);
  for (std::uint64_t number = 0; number < 3; ++number) {
    window.push({}, scripted(random_numbers(701, 1.0, number), random_numbers(701, 1.0, number + 7)));
  }
  const std::vector<double> one = divergences(window, 1);
  for (const Index threads : {2, 3}) EXPECT_EQ(bits(divergences(window, threads)), bits(one));
}

}  // namespace
}  // namespace retropg::test
