#include "retropg/kernels/steps.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/bits.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

TEST(AddWeightedRows, HasTheBitsOfThePlainLoopOnEveryTarget) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t width : {1U, 2U, 3U, 4U, 5U, 8U, 17U}) {
      for (const std::size_t steps : {0U, 1U, 7U, 200U}) {
        const std::size_t stride = width + 3;
        const auto factors = uniform_numbers(steps, -3.0, 3.0, 1), rows = uniform_numbers(steps * stride, -5.0, 5.0, 2);
        std::vector<double> expected = uniform_numbers(width, -1.0, 1.0, 3), sums = expected;
        for (std::size_t t = 0; t < steps; ++t) {
          for (std::size_t i = 0; i < width; ++i) expected[i] += factors[t] * rows[t * stride + i];
        }
        kernels::add_weighted_rows(steps, width, stride, factors.data(), rows.data(), sums.data());
        EXPECT_EQ(bits(sums), bits(expected)) << target << ", width " << width << ", steps " << steps;
      }
    }
  }
}

TEST(AddWeightedRows, IgnoresWhatFollowsTheWidthOfARow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> factors = {2.0, -1.0}, rows = {1.0, 3.0, nan, nan, nan, 0.5, 4.0, nan, nan, nan};
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    std::vector<double> sums = {0.0, 1.0, 7.0};
    kernels::add_weighted_rows(2, 2, 5, factors.data(), rows.data(), sums.data());
    EXPECT_EQ(sums, (std::vector<double>{1.5, 3.0, 7.0})) << target;
  }
}

}  // namespace
}  // namespace retropg::test
