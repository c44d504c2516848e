#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace retropg::test {

/// The bits of numbers, for comparisons in which 0 and -0 differ and a NaN equals itself.
inline std::vector<std::uint64_t> bits(std::span<const double> numbers) {
  std::vector<std::uint64_t> result;
  result.reserve(numbers.size());
  for (const double number : numbers) result.push_back(std::bit_cast<std::uint64_t>(number));
  return result;
}

}  // namespace retropg::test
