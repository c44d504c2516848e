#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "retropg/baseline/baseline.hpp"
#include "retropg/policy/linear_gaussian.hpp"

namespace retropg::test {

inline const std::vector<double> kNone;  // baselines that do not look at the parameters
inline constexpr BaselineOptions kOptions{.horizon = 4, .discount = 0.5};
inline const LinearGaussianOptions kTwoObservations{.observation_size = 2, .action_size = 1};

inline void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance = 1e-14) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "credit " << i;
}

}  // namespace retropg::test
