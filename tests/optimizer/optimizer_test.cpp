#include "retropg/optimizer/optimizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "retropg/core/archive.hpp"
#include "retropg/core/numerics.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ConstantStep, AddsTheRateTimesTheGradient) {
  const auto optimizer = constant_step(0.25);
  std::vector<double> theta = {1.0, -2.0};
  optimizer->ascend(theta, std::vector{4.0, 8.0});
  EXPECT_EQ(theta, (std::vector<double>{2.0, 0.0}));
  optimizer->ascend(theta, std::vector{4.0, 8.0});  // remembers nothing
  EXPECT_EQ(theta, (std::vector<double>{3.0, 2.0}));
}

TEST(ConstantStep, OfZeroStays) {
  std::vector<double> theta = {1.0};
  constant_step(0.0)->ascend(theta, std::vector{4.0});
  EXPECT_EQ(theta, std::vector<double>{1.0});
}

TEST(Adam, FollowsTheSequenceByHand) {
  // Worked out beside the library: rate 0.1, beta1 0.8, beta2 0.9, epsilon 1e-3, two coordinates.
  const auto optimizer = adam({.rate = 0.1, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3});
  const std::vector<std::vector<double>> gradients = {{2.0, -0.1}, {-1.0, 0.3}, {0.5, 0.3}, {0.0, 4.0}};
  const std::vector<std::vector<double>> expected = {{0.09995002498750626, 0.900990099009901},
                                                     {0.121359085278342, 0.9543003775493019},
                                                     {0.1528907969657619, 1.029890996276029},
                                                     {0.1776454755915023, 1.098316216078841}};
  std::vector<double> theta = {0.0, 1.0};
  for (std::size_t t = 0; t < gradients.size(); ++t) {
    optimizer->ascend(theta, gradients[t]);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(theta[i], expected[t][i], 1e-14) << "step " << t + 1;
  }
}

TEST(Adam, FirstStepIsTheRateInTheDirectionOfTheGradient) {
  std::vector<double> theta = {0.0, 0.0, 0.0};
  adam({.rate = 0.01})->ascend(theta, std::vector{1e-3, -5e4, 1.0});
  EXPECT_NEAR(theta[0], 0.01, 1e-6);  // ascent: along the gradient
  EXPECT_NEAR(theta[1], -0.01, 1e-12);
  EXPECT_NEAR(theta[2], 0.01, 1e-9);
}

TEST(Adam, ForgetsAStepThatIsDiscarded) {
  const auto expected = adam({.rate = 0.1}), discarding = adam({.rate = 0.1});
  std::vector<double> theta = {0.0, 1.0}, other = theta;
  for (const double gradient : {2.0, -1.0, 0.5}) {
    const std::vector<double> before = other;
    discarding->ascend(other, std::vector{7.0, -3.0 * gradient});
    discarding->discard();
    other = before;
    expected->ascend(theta, std::vector{gradient, 1.0});
    discarding->ascend(other, std::vector{gradient, 1.0});
    EXPECT_EQ(bits(other), bits(theta));
  }
}

TEST(Adam, AddsEpsilonOutsideTheRoot) {
  std::vector<double> theta = {0.0};
  adam({.rate = 1.0, .epsilon = 1e-8})->ascend(theta, std::vector{1e-8});
  EXPECT_NEAR(theta[0], 0.5, 1e-12);  // inside the root it would be 1e-4
}

TEST(Adam, DefaultsAreThePapers) {
  const AdamOptions options;
  EXPECT_EQ(options.rate, 0.01);
  EXPECT_EQ(options.beta1, 0.9);
  EXPECT_EQ(options.beta2, 0.999);
  EXPECT_EQ(options.epsilon, 1e-8);
}

TEST(Adam, MovesOnWithItsMomentumWhereAGradientIsExactlyZero) {
  const auto optimizer = adam({.rate = 0.01});
  std::vector<double> theta = {0.0, 0.0};
  optimizer->ascend(theta, std::vector{1.0, 0.0});
  const double first = theta[0];
  optimizer->ascend(theta, std::vector{0.0, 0.0});
  // m = 0.9 * 0.1, v = 0.999 * 0.001, corrected by 1 - 0.9^2 and 1 - 0.999^2
  EXPECT_NEAR(theta[0] - first, 0.01 * (0.09 / 0.19) / std::sqrt(0.000999 / 0.001999), 1e-9);
  EXPECT_EQ(theta[1], 0.0);  // 0 / (0 + epsilon), not NaN
}

TEST(Adam, RestoredGoesOnWithTheSameBits) {
  const AdamOptions options{.rate = 0.02};
  const auto gradient = [](int t) { return std::vector<double>{std::sin(1.0 * t), std::cos(2.0 * t), 1e-3 * t}; };
  const auto uninterrupted = adam(options), first = adam(options), second = adam(options);
  std::vector<double> a = {1.0, 2.0, 3.0}, b = a;
  for (int t = 0; t < 7; ++t) {
    uninterrupted->ascend(a, gradient(t));
    first->ascend(b, gradient(t));
  }
  Archive saved(Archive::Mode::kSave);
  first->state(saved);
  Archive restored(saved.state());
  second->state(restored);
  for (int t = 7; t < 20; ++t) {
    uninterrupted->ascend(a, gradient(t));
    second->ascend(b, gradient(t));
    EXPECT_EQ(bits(a), bits(b));
  }
}

TEST(Adam, RestoredBeforeItsFirstStepStartsAnew) {
  const auto fresh = adam({}), restored = adam({});
  Archive saved(Archive::Mode::kSave);
  fresh->state(saved);
  std::vector<double> a = {0.0}, b = {0.0};
  restored->ascend(b, std::vector{7.0});
  Archive archive(saved.state());
  restored->state(archive);
  b = {0.0};
  fresh->ascend(a, std::vector{-1.0});
  restored->ascend(b, std::vector{-1.0});
  EXPECT_EQ(bits(a), bits(b));
}

TEST(Optimizers, StayWhereTheyAreIfAParameterWouldNotBeFinite) {
  for (const bool moments : {false, true}) {
    const auto make = [&] { return moments ? adam({.rate = 0.1}) : constant_step(0.1); };
    const auto optimizer = make(), other = make();  // which never sees the bad gradients
    std::vector<double> theta = {1.0, 1.7e308}, expected = theta;
    for (const auto& gradient : {std::vector{2.0, -1.0}, std::vector{0.5, 3.0}}) {
      EXPECT_TRUE(optimizer->ascend(theta, gradient));
      EXPECT_TRUE(other->ascend(expected, gradient));
    }
    std::vector<std::vector<double>> bad = {{1.0, kNan}, {kInfinity, 1.0}, {1.0, -kInfinity}};
    bad.push_back(moments ? std::vector{1.0, 1e300} : std::vector{0.0, 1.7e308});  // a square or a step too large
    for (const std::vector<double>& gradient : bad) {
      EXPECT_FALSE(optimizer->ascend(theta, gradient));
      EXPECT_EQ(bits(theta), bits(expected)) << moments;
    }
    Archive saved(Archive::Mode::kSave), untouched(Archive::Mode::kSave);
    optimizer->state(saved);
    other->state(untouched);
    EXPECT_EQ(saved.state(), untouched.state());
    EXPECT_TRUE(optimizer->ascend(theta, std::vector{1.0, 1.0}));
    EXPECT_TRUE(other->ascend(expected, std::vector{1.0, 1.0}));
    EXPECT_EQ(bits(theta), bits(expected)) << moments;
  }
}

TEST(Optimizers, RefuseImpossibleOptions) {
  for (const double rate : {-0.1, kNan, kInfinity}) {
    expect_throw([&] { constant_step(rate); }, "the step size must be finite and not negative");
    expect_throw([&] { adam({.rate = rate}); }, "the learning rate must be finite and not negative");
  }
  for (const double beta : {-0.1, 1.0, kNan}) {
    expect_throw([&] { adam({.beta1 = beta}); }, "Adam's beta1 and beta2 must lie in [0, 1)");
    expect_throw([&] { adam({.beta2 = beta}); }, "Adam's beta1 and beta2 must lie in [0, 1)");
  }
  for (const double epsilon : {0.0, -1e-8, kNan}) {
    expect_throw([&] { adam({.epsilon = epsilon}); }, "Adam's epsilon must be positive");
  }
}

}  // namespace
}  // namespace retropg::test
