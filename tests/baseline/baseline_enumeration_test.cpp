// The bias of baselines by adding up over every trajectory of a small chain that ends early: no sampling, so what is
// unbiased differs from the gradient by rounding alone.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "retropg/baseline/baseline.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr Index kHorizon = 3;
constexpr double kDiscount = 0.9, kTheta = 0.4;
constexpr BaselineOptions kOptions{.horizon = kHorizon, .discount = kDiscount};

/// A chain with states 0 and 1 and actions 0 and 1: action 1 is taken with probability 1 / (1 + e^(-theta (1 + s))).
/// The next state is the action, but action 0 ends the trajectory with probability 0.7, action 1 with 0.2. Every step
/// is rewarded with 1 + s / 2.
struct ChainStep {
  double state, action;
};

struct ChainTrajectory {
  std::vector<ChainStep> steps;
  double chance;  // of the start and of what the chain did
};

double feature(double state) {
  return 1.0 + state;
}
double probability_of_one(double theta, double state) {
  return 1.0 / (1.0 + std::exp(-theta * feature(state)));
}
double probability(double theta, const ChainStep& step) {
  const double one = probability_of_one(theta, step.state);
  return step.action == 1.0 ? one : 1.0 - one;
}
double score(double theta, const ChainStep& step) {
  return feature(step.state) * (step.action - probability_of_one(theta, step.state));
}
double probability(double theta, const ChainTrajectory& trajectory) {
  double result = trajectory.chance;
  for (const ChainStep& step : trajectory.steps) result *= probability(theta, step);
  return result;
}

void extend(ChainTrajectory trajectory, double state, std::vector<ChainTrajectory>& all) {
  for (const double action : {0.0, 1.0}) {
    ChainTrajectory next = trajectory;
    next.steps.push_back({state, action});
    if (as_index(next.steps.size()) == kHorizon) {
      all.push_back(next);
      continue;
    }
    const double end = action == 0.0 ? 0.7 : 0.2;
    ChainTrajectory ended = next;
    ended.chance *= end;
    all.push_back(ended);
    next.chance *= 1.0 - end;
    extend(next, action, all);
  }
}

const std::vector<ChainTrajectory>& all_trajectories() {
  static const std::vector<ChainTrajectory> all = [] {
    std::vector<ChainTrajectory> result;
    for (const double state : {0.0, 1.0}) extend({.steps = {}, .chance = 0.5}, state, result);
    return result;
  }();
  return all;
}

TrajectoryBatch batch_of(const std::vector<ChainTrajectory>& trajectories) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  for (const ChainTrajectory& trajectory : trajectories) {
    for (const ChainStep& step : trajectory.steps) {
      batch.add(std::vector{step.state}, std::vector{step.action}, 1.0 + 0.5 * step.state);
    }
    batch.close();
  }
  return batch;
}

/// sum_l psi_l credit_l of trajectory j of a batch.
double gradient_of(double theta, const ChainTrajectory& trajectory, const double* credits) {
  double result = 0.0;
  for (std::size_t l = 0; l < trajectory.steps.size(); ++l) result += score(theta, trajectory.steps[l]) * credits[l];
  return result;
}

double expected_return(double theta) {
  const std::vector<double> returns = discounted_returns(batch_of(all_trajectories()), kDiscount);
  double result = 0.0;
  for (std::size_t i = 0; i < returns.size(); ++i) result += probability(theta, all_trajectories()[i]) * returns[i];
  return result;
}

/// dJ / dtheta by central differences, extrapolated: good to about 1e-12.
double exact_gradient() {
  const auto central = [](double h) { return (expected_return(kTheta + h) - expected_return(kTheta - h)) / (2.0 * h); };
  return (4.0 * central(1e-3) - central(2e-3)) / 3.0;
}

/// The expectation of sum_l psi_l credit_l for credits of single trajectories, in the order of all_trajectories().
double expectation(const std::vector<double>& credits) {
  const std::vector<ChainTrajectory>& all = all_trajectories();
  double result = 0.0;
  const double* next = credits.data();
  for (const ChainTrajectory& trajectory : all) {
    result += probability(kTheta, trajectory) * gradient_of(kTheta, trajectory, next);
    next += trajectory.steps.size();
  }
  return result;
}

/// The same with the trajectories drawn at `behavior` and every decision weighted on its own:
///   sum_l psi_l sum_{t >= l} w_{0:t} (credit_t - credit_{t+1}).
double weighted_expectation(const std::vector<double>& credits, double behavior) {
  double result = 0.0;
  const double* credit = credits.data();
  for (const ChainTrajectory& trajectory : all_trajectories()) {
    double weight = 1.0, running = 0.0, gradient = 0.0;
    for (std::size_t t = 0; t < trajectory.steps.size(); ++t, ++credit) {
      const ChainStep& step = trajectory.steps[t];
      weight *= probability(kTheta, step) / probability(behavior, step);
      running += score(kTheta, step);
      gradient += running * weight * (t + 1 < trajectory.steps.size() ? credit[0] - credit[1] : credit[0]);
    }
    result += probability(behavior, trajectory) * gradient;
  }
  return result;
}

std::unique_ptr<Baseline> value(bool fresh) {
  return value_baseline(1, kOptions, {.window = 3, .ridge = 1e-2, .fresh = fresh});
}

/// Baselines of earlier batches, after one such batch.
std::vector<std::unique_ptr<Baseline>> taught() {
  std::vector<std::unique_ptr<Baseline>> baselines;
  baselines.push_back(running_mean_baseline(kOptions, 0.3));
  baselines.push_back(value(false));
  for (const auto& baseline : baselines) baseline->credits({}, batch_of(all_trajectories()), Credit::kRewardToGo);
  return baselines;
}

constexpr double kRounding = 1e-11;

TEST(BaselineEnumeration, HasTheGradientWithoutABaseline) {
  const TrajectoryBatch batch = batch_of(all_trajectories());
  EXPECT_NEAR(expectation(step_credits(batch, kDiscount, Credit::kRewardToGo)), exact_gradient(), kRounding);
  EXPECT_NEAR(expectation(step_credits(batch, kDiscount, Credit::kReturn)), exact_gradient(), kRounding);
  EXPECT_GT(std::abs(exact_gradient()), 0.1);
}

TEST(BaselineEnumeration, BaselinesOfEarlierBatchesAreUnbiased) {
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    for (const auto& baseline : taught()) {
      const std::vector<double> plain = step_credits(batch_of(all_trajectories()), kDiscount, credit);
      const std::vector<double> credits = baseline->credits({}, batch_of(all_trajectories()), credit);
      EXPECT_NEAR(expectation(credits), exact_gradient(), kRounding);
      EXPECT_GT(std::abs(credits[0] - plain[0]), 0.5) << "there is a baseline";
    }
  }
}

TEST(BaselineEnumeration, BaselinesOfEarlierBatchesAreUnbiasedWithAWeightForEveryDecision) {
  for (const double behavior : {kTheta, 0.1, 0.9}) {
    for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
      for (const auto& baseline : taught()) {
        const std::vector<double> credits = baseline->credits({}, batch_of(all_trajectories()), credit);
        EXPECT_NEAR(weighted_expectation(credits, behavior), exact_gradient(), kRounding);
      }
    }
  }
}

TEST(BaselineEnumeration, MaskedByTheEndOfTheTrajectoryABaselineIsBiased) {
  // The same b_t, but taken off at the steps of the trajectory only: what must not be computed.
  const TrajectoryBatch batch = batch_of(all_trajectories());
  const auto baseline = std::move(taught().front());
  const std::vector<double> plain = step_credits(batch, kDiscount, Credit::kRewardToGo);
  const std::vector<double> unmasked = baseline->credits({}, batch, Credit::kRewardToGo);
  std::vector<double> tails(kHorizon + 1, 0.0);  // B_l
  for (std::size_t l = 0; l < kHorizon; ++l) {
    tails[l] = plain[as_size(batch.begin(batch.size() - 1)) + l] - unmasked[as_size(batch.begin(batch.size() - 1)) + l];
  }
  std::vector<double> masked = plain;
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index l = 0; l < batch.length(j); ++l) {
      masked[as_size(batch.begin(j) + l)] -= tails[as_size(l)] - tails[as_size(batch.length(j))];
    }
  }
  EXPECT_NEAR(expectation(unmasked), exact_gradient(), kRounding);
  EXPECT_GT(std::abs(expectation(masked) - exact_gradient()), 0.3 * std::abs(exact_gradient()));
}

/// The expected gradient of a batch of two with a baseline of the fresh batch, over all pairs of trajectories.
double expectation_of_two(const std::function<std::unique_ptr<Baseline>()>& make, Credit credit) {
  const std::vector<ChainTrajectory>& all = all_trajectories();
  double result = 0.0;
  for (const ChainTrajectory& one : all) {
    for (const ChainTrajectory& other : all) {
      const std::vector<double> credits = make()->credits({}, batch_of({one, other}), credit);
      const double gradient =
          gradient_of(kTheta, one, credits.data()) + gradient_of(kTheta, other, credits.data() + one.steps.size());
      result += probability(kTheta, one) * probability(kTheta, other) * 0.5 * gradient;
    }
  }
  return result;
}

TEST(BaselineEnumeration, LeaveOneOutIsUnbiased) {
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    EXPECT_NEAR(expectation_of_two([] { return leave_one_out_baseline(kOptions); }, credit), exact_gradient(),
                kRounding);
  }
}

TEST(BaselineEnumeration, TheMeanIsBiasedByTheShareOfOneTrajectory) {
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    EXPECT_NEAR(expectation_of_two([] { return mean_baseline(kOptions); }, credit), 0.5 * exact_gradient(), kRounding);
  }
}

TEST(BaselineEnumeration, AValueFittedToTheFreshBatchIsBiased) {
  EXPECT_GT(std::abs(expectation_of_two([] { return value(true); }, Credit::kRewardToGo) - exact_gradient()),
            0.1 * std::abs(exact_gradient()));
}

}  // namespace
}  // namespace retropg::test
