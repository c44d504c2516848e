#pragma once

#include <functional>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg::test {

/// Central differences; a step of 1e-5 leaves some 1e-10 of curvature and of rounding.
inline std::vector<double> central_differences(const std::vector<double>& theta,
                                               const std::function<double(Parameters)>& of) {
  constexpr double h = 1e-5;
  std::vector<double> result;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    std::vector<double> above = theta, below = theta;
    above[i] += h;
    below[i] -= h;
    result.push_back((of(above) - of(below)) / (2.0 * h));
  }
  return result;
}

}  // namespace retropg::test
