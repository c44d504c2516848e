#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

namespace retropg::test {

/// Every number of a within `tolerance` of b's, relative to those above 1.
inline void expect_close(std::span<const double> a, std::span<const double> b, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i]))) << what << " " << i;
  }
}

}  // namespace retropg::test
