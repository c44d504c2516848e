#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "retropg/kernels/weights.hpp"
#include "support/bits.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

void expect_as_max_element(const std::vector<double>& numbers) {
  const std::vector<double> expected{*std::ranges::max_element(numbers)};
  const std::vector<double> got{kernels::largest(numbers.size(), numbers.data())};
  EXPECT_EQ(bits(got), bits(expected)) << numbers.size();
}

TEST(Largest, IsThatOfMaxElement) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (std::uint32_t count = 1; count < 140; ++count) {
      const std::vector<double> numbers = uniform_numbers(count, -3.0, -1.0, count);
      expect_as_max_element(numbers);
      for (const std::size_t place : {std::size_t{0}, numbers.size() / 2, numbers.size() - 1}) {
        for (const double number :
             {-0.5, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
              std::numeric_limits<double>::quiet_NaN()}) {
          std::vector<double> other = numbers;
          other[place] = number;
          expect_as_max_element(other);
        }
      }
    }
  }
}

}  // namespace
}  // namespace retropg::test
