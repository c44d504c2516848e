#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>

namespace retropg::test {

inline constexpr double kUlp = std::numeric_limits<double>::epsilon();
inline constexpr std::array<std::size_t, 7> kSizes = {1, 3, 8, 17, 32, 33, 100};
inline constexpr std::array<std::size_t, 11> kSteps = {1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 65};
inline constexpr std::size_t kGuard = 8;  // numbers after each result that must stay as they are

inline std::string describe(std::size_t steps, std::size_t a, std::size_t b) {
  return std::to_string(steps) + " steps, " + std::to_string(a) + " to " + std::to_string(b) + " units";
}

}  // namespace retropg::test
