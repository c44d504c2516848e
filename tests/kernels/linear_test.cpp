#include "retropg/kernels/linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/bits.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

struct Size {
  std::size_t features, actions;
};
constexpr Size kSizes[] = {{1, 1}, {4, 1}, {3, 2}, {17, 6}};

/// A policy and a block of observations for it. Noise rows stand apart from each other and in no order.
struct Problem {
  Problem(Size s, std::size_t block_lanes)
      : size(s),
        lanes(block_lanes),
        theta(uniform_numbers(s.features * s.actions, -3.0, 3.0, 1)),
        deviation(uniform_numbers(s.actions, 0.1, 2.0, 2)),
        features(uniform_numbers(s.features * lanes, -5.0, 5.0, 3)),
        noise(uniform_numbers(2 * s.actions * lanes, -4.0, 4.0, 4)) {
    for (std::size_t u = 0; u < s.actions; ++u) noise_rows.push_back(noise.data() + (2 * (s.actions - u) - 1) * lanes);
  }

  Size size;
  std::size_t lanes;
  std::vector<double> theta, deviation, features, noise;
  std::vector<const double*> noise_rows;
};

struct Answer {
  std::vector<double> actions, residuals;
};

Answer act(const Problem& problem, std::size_t count) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Answer answer{.actions = std::vector<double>(problem.size.actions * problem.lanes, nan),
                .residuals = std::vector<double>(problem.size.actions * problem.lanes, nan)};
  kernels::linear_gaussian_act(count, problem.lanes, problem.size.features, problem.size.actions, problem.theta.data(),
                               problem.deviation.data(), problem.features.data(), problem.noise_rows.data(),
                               answer.actions.data(), answer.residuals.data());
  return answer;
}

TEST(LinearGaussianAct, AddsScaledNoiseToTheMean) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Size size : kSizes) {
      const Problem problem(size, 20);
      const Answer answer = act(problem, 20);
      for (std::size_t l = 0; l < problem.lanes; ++l) {
        for (std::size_t u = 0; u < size.actions; ++u) {
          long double mean = 0.0, scale = 0.0;
          for (std::size_t v = 0; v < size.features; ++v) {
            const long double term = static_cast<long double>(problem.theta[u * size.features + v]) *
                                     problem.features[v * problem.lanes + l];
            mean += term;
            scale += std::abs(term);
          }
          const long double spread = static_cast<long double>(problem.deviation[u]) * problem.noise_rows[u][l];
          // At most 18 products and sums, half a unit (1.1e-16) of the partial sums each; those stay below `scale`.
          const auto tolerance = static_cast<double>(4e-15L * (scale + std::abs(spread)));
          const std::size_t at = u * problem.lanes + l;
          EXPECT_NEAR(answer.actions[at], static_cast<double>(mean + spread), tolerance) << target;
          EXPECT_NEAR(answer.residuals[at], static_cast<double>(spread), tolerance) << target;
        }
      }
    }
  }
}

TEST(LinearGaussianAct, ResidualIsTheActionMinusTheMeanToTheLastBit) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Size size : kSizes) {
      Problem problem(size, 12);
      const Answer noisy = act(problem, 12);
      problem.noise.assign(problem.noise.size(), 0.0);
      const Answer quiet = act(problem, 12);  // its actions are the means
      for (std::size_t i = 0; i < noisy.actions.size(); ++i) {
        EXPECT_EQ(noisy.residuals[i], noisy.actions[i] - quiet.actions[i]) << target;
        EXPECT_EQ(quiet.residuals[i], 0.0) << target;
      }
    }
  }
}

TEST(LinearGaussianAct, LanesBeyondTheCountAreLeftAlone) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Problem problem({4, 2}, 16);
    const Answer answer = act(problem, 12);
    for (std::size_t i = 0; i < answer.actions.size(); ++i) {
      EXPECT_EQ(std::isnan(answer.actions[i]), i % 16 >= 12) << target;
      EXPECT_EQ(std::isnan(answer.residuals[i]), i % 16 >= 12) << target;
    }
  }
}

TEST(LinearGaussianAct, DoesNotDependOnTheTargetWhereItFusesNorOnThePosition) {
  for (const Size size : kSizes) {
    const Problem problem(size, 20);
    std::vector<Answer> of_targets;
    for (const std::string& target : fused_targets()) {
      const ForcedTarget forced(target);
      of_targets.push_back(act(problem, 20));
      const Answer& all = of_targets.back();
      EXPECT_EQ(bits(all.actions), bits(of_targets.front().actions)) << target;
      EXPECT_EQ(bits(all.residuals), bits(of_targets.front().residuals)) << target;
      for (std::size_t l = 0; l < 20; ++l) {  // each lane again in the last place of a narrow block
        Problem alone(size, 4);
        for (std::size_t v = 0; v < size.features; ++v) alone.features[v * 4 + 3] = problem.features[v * 20 + l];
        for (std::size_t u = 0; u < size.actions; ++u) {
          alone.noise[as_size(alone.noise_rows[u] - alone.noise.data()) + 3] = problem.noise_rows[u][l];
        }
        const Answer one = act(alone, 4);
        for (std::size_t u = 0; u < size.actions; ++u) {
          EXPECT_EQ(one.actions[u * 4 + 3], all.actions[u * 20 + l]) << target;
          EXPECT_EQ(one.residuals[u * 4 + 3], all.residuals[u * 20 + l]) << target;
        }
      }
    }
  }
}

TEST(LinearLaneMeans, AreTheMeansOfEachLanesOwnParametersToTheLastBit) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Size size : kSizes) {
      Problem problem(size, 20);
      problem.noise.assign(problem.noise.size(), 0.0);
      const std::size_t count = size.features * size.actions;
      const std::vector<double> theta_rows = uniform_numbers(count * 20, -3.0, 3.0, 5);
      std::vector<double> actions(size.actions * 20, -1.0);
      kernels::linear_lane_means(16, 20, size.features, size.actions, theta_rows.data(), problem.features.data(),
                                 actions.data());
      for (std::size_t l = 0; l < 20; ++l) {  // all lanes with the parameters of this one
        for (std::size_t i = 0; i < count; ++i) problem.theta[i] = theta_rows[i * 20 + l];
        const Answer alike = act(problem, 20);
        for (std::size_t u = 0; u < size.actions; ++u) {
          EXPECT_EQ(actions[u * 20 + l], l < 16 ? alike.actions[u * 20 + l] : -1.0) << target;
        }
      }
    }
  }
}

}  // namespace
}  // namespace retropg::test
