#include "retropg/core/aligned.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace retropg::test {
namespace {

bool is_aligned(const double* numbers) {
  return reinterpret_cast<std::uintptr_t>(numbers) % static_cast<std::size_t>(kAlignment) == 0;
}

TEST(Aligned, VectorsBeginAtACacheLine) {
  std::vector<AlignedVector<double>> vectors;
  for (std::size_t count = 1; count < 50; ++count) vectors.emplace_back(count, 1.0);
  for (const AlignedVector<double>& vector : vectors) EXPECT_TRUE(is_aligned(vector.data()));
}

TEST(Aligned, UnsetNumbersBeginAtACacheLineAndHoldWhatIsWritten) {
  std::vector<UnsetNumbers> all;
  for (std::size_t count = 1; count < 50; ++count) {
    UnsetNumbers numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(i);
    all.push_back(std::move(numbers));
  }
  for (const UnsetNumbers& numbers : all) {
    EXPECT_TRUE(is_aligned(numbers.data()));
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<double>(i));
  }
}

}  // namespace
}  // namespace retropg::test
