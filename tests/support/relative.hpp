#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "retropg/core/numerics.hpp"

namespace retropg::test {

/// Every component of a within `tolerance` times the norm of b of b's.
inline void expect_relative(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * norm(b)) << "parameter " << i;
}

inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference = a;
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] -= b[i];
  return norm(difference) / norm(b);
}

}  // namespace retropg::test
