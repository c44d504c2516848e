#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "retropg/core/random.hpp"

namespace retropg::test {

/// Made-up test data: `count` numbers uniform in [low, high), others for another `name`.
inline std::vector<double> uniform_numbers(std::size_t count, double low, double high, std::uint32_t name) {
  RandomStream random({.seed = 20260101, .trajectory = name});
  std::vector<double> result(count);
  for (double& number : result) number = random.uniform(low, high);
  return result;
}

}  // namespace retropg::test
