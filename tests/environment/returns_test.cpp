#include "retropg/environment/returns.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "retropg/configuration/registry.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "support/point_mass.hpp"
#include "support/random_policy.hpp"

namespace retropg::test {
namespace {

EnvironmentDefinition environment(const std::vector<std::string>& settings) {
  Configuration configuration;
  for (const std::string& setting : settings) apply_setting(configuration, setting);
  return make_environment(configuration);
}

/// s' = s + a with cost s^2 + a^2, from a start with E s^2 = 1/3.
LinearQuadraticOptions line() {
  return {.dynamics = {1.0}, .input = {1.0}, .state_cost = {1.0}, .action_cost = {1.0}, .start_range = {1.0}};
}

TEST(DiscountedSteps, AreAGeometricSum) {
  EXPECT_DOUBLE_EQ(discounted_steps(3, 0.5), 1.75);
  EXPECT_DOUBLE_EQ(discounted_steps(1, 0.3), 1.0);
  EXPECT_EQ(discounted_steps(7, 1.0), 7.0);
  EXPECT_EQ(discounted_steps(7, 0.0), 1.0);
  EXPECT_NEAR(discounted_steps(1000, 1.0 - 1e-12), 1000.0, 1e-6) << "nothing cancels";
}

TEST(ReturnRange, FollowsHorizonAndDiscount) {
  const ReturnRange plain = return_range(environment({})), shorter = return_range(environment({"env.horizon=50"}));
  EXPECT_EQ(plain.smallest, 1.0);
  EXPECT_EQ(plain.largest, 200.0);
  EXPECT_EQ(shorter.largest, 50.0);
  EXPECT_DOUBLE_EQ(*return_range(environment({"env.horizon=3", "env.discount=0.5"})).largest, 1.75);
  EXPECT_EQ(return_range(environment({"env.id=Bandit"})).smallest, 0.0);
  EXPECT_EQ(return_range(environment({"env.id=Bandit"})).largest, 1.0);
  EXPECT_EQ(return_range(environment({"env.id=LQR"})).largest, 0.0);
  EXPECT_EQ(return_range(environment({"env.id=LQR"})).smallest, std::nullopt);
  EXPECT_EQ(return_range(point_mass()).largest, std::nullopt) << "an environment that says nothing";
  EXPECT_EQ(reference_returns(point_mass()), std::nullopt);
}

TEST(ReturnRange, HasNoTopIfACostCanBeNegative) {
  LinearQuadraticOptions options = line();
  options.state_cost = {0.0};
  EXPECT_EQ(return_range(linear_quadratic(options)).largest, 0.0);
  options.state_cost = {-1.0};
  EXPECT_EQ(return_range(linear_quadratic(options)).largest, std::nullopt);
  options = line();
  options.action_cost = {-1.0};
  EXPECT_EQ(return_range(linear_quadratic(options)).largest, std::nullopt);
}

TEST(ReturnRange, HoldsForTheRandomPolicy) {
  for (const EnvironmentEntry& entry : environments()) {
    if (entry.description.starts_with("not in this build")) continue;
    const EnvironmentDefinition made = environment({"env.id=" + entry.name, "env.horizon=20"});
    const ReturnRange range = return_range(made);
    for (const double sum : random_returns(made, 1.0, 12, 1)) {
      EXPECT_GE(sum, range.smallest.value_or(sum)) << entry.name;
      EXPECT_LE(sum, range.largest.value_or(sum)) << entry.name;
    }
  }
}

TEST(ReferenceReturns, AreThereOnlyWhereTheyWereMeasured) {
  for (const EnvironmentEntry& entry : environments()) {
    if (entry.description.starts_with("not in this build")) continue;
    const std::string id = "env.id=" + entry.name;
    const auto plain = reference_returns(environment({id}));
    if (!plain) continue;
    EXPECT_LT(plain->random, plain->best) << entry.name;
    const bool known = entry.name == "LinearQuadratic-v0" || entry.name == "GaussianBandit-v0";
    EXPECT_EQ(reference_returns(environment({id, "env.horizon=7"})).has_value(), known) << entry.name;
    EXPECT_EQ(reference_returns(environment({id, "env.discount=0.9"})).has_value(), known) << entry.name;
    EXPECT_LE(plain->best, return_range(environment({id})).largest.value_or(plain->best)) << entry.name;
  }
  for (const char* id : {"CartPole", "LQR", "Bandit"}) {
    EXPECT_TRUE(reference_returns(environment({std::string("env.id=") + id}))) << id;
  }
}

TEST(ReferenceReturns, OfTheBanditAreAnIntegral) {
  const auto found = reference_returns(environment({"env.id=Bandit", "bandit.target=0.5", "bandit.width=0.25"}));
  double sum = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double distance = (-1.0 + (i + 0.5) / 10000.0 - 0.5) / 0.25;
    sum += std::exp(-0.5 * distance * distance) / 20000.0;
  }
  EXPECT_NEAR(found->random, sum, 1e-8);
  EXPECT_EQ(found->best, 1.0);
}

TEST(ReferenceReturns, OfTheLinearQuadraticMatchThoseByHand) {
  auto found = linear_quadratic_references(line(), 1, 1.0);
  EXPECT_DOUBLE_EQ(found->best, -1.0 / 3.0) << "the last action changes nothing";
  EXPECT_DOUBLE_EQ(found->random, -2.0 / 3.0);
  found = linear_quadratic_references(line(), 2, 1.0);
  EXPECT_DOUBLE_EQ(found->best, -0.5) << "a = -s / 2 and then 0: (1 + 1/4 + 1/4) / 3";
  EXPECT_DOUBLE_EQ(found->random, -5.0 / 3.0);
  EXPECT_DOUBLE_EQ(linear_quadratic_references(line(), 2, 0.5)->best, -(1.0 + 0.5 - 0.25 / 1.5) / 3.0);
  LinearQuadraticOptions noisy = line();
  noisy.process_noise = 0.5;
  EXPECT_DOUBLE_EQ(linear_quadratic_references(noisy, 2, 1.0)->best, -0.75);
  EXPECT_DOUBLE_EQ(linear_quadratic_references(noisy, 2, 0.5)->best,
                   linear_quadratic_references(line(), 2, 0.5)->best - 0.125);
}

TEST(ReferenceReturns, OfTheLinearQuadraticAreReachedByTheBestGainOnly) {
  LinearQuadraticOptions options = line();
  options.process_noise = 0.3;
  const Index horizon = 400;
  const double discount = 0.9, best = linear_quadratic_references(options, horizon, discount)->best;
  // The fixed point of P = 1 + gamma P - (gamma P)^2 / (1 + gamma P) = 1 + gamma P / (1 + gamma P).
  double cost = 0.0;
  for (int i = 0; i < 1000; ++i) cost = 1.0 + discount * cost / (1.0 + discount * cost);
  const double gain = -discount * cost / (1.0 + discount * cost);
  const auto value = [&](double theta) {
    return linear_quadratic_exact(options, {{theta}}, {{0.0}}, horizon, discount).value;
  };
  EXPECT_NEAR(value(gain), best, 1e-9);
  for (const double other : {-0.9, -0.7, gain - 0.01, gain + 0.01, -0.4, 0.0}) EXPECT_LT(value(other), best);
}

TEST(ReferenceReturns, OfTheLinearQuadraticAreMissingWhereNothingIsBest) {
  LinearQuadraticOptions options = line();
  options.action_cost = {-1.0};
  EXPECT_EQ(reference_returns(linear_quadratic(options)), std::nullopt) << "the larger the action the better";
  options = line();
  options.dynamics = {1e3};
  options.input = {0.0};
  EnvironmentDefinition unstable = linear_quadratic(options);
  unstable.horizon = 1000;
  EXPECT_EQ(reference_returns(unstable), std::nullopt) << "the sum overflows";
}

}  // namespace
}  // namespace retropg::test
