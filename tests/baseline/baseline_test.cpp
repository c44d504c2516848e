#include "retropg/baseline/baseline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "retropg/core/archive.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg {
namespace {

const std::vector<double> kNone;  // baselines that do not look at the parameters

/// One trajectory for each list of rewards; observations and actions are made up.
TrajectoryBatch rewarded(const std::vector<std::vector<double>>& rewards, std::uint64_t seed = 1) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
  for (const std::vector<double>& one : rewards) {
    for (const double reward : one) batch.add(std::vector{random.normal()}, std::vector{random.normal()}, reward);
    batch.close();
  }
  return batch;
}

// Discounted by 1/2 these give 2 | 1, 2, 2 | 3, 1, so that D_l is 2 | 5, 4, 2 | 4, 1.
const std::vector<std::vector<double>> kRewards = {{2.0}, {1.0, 4.0, 8.0}, {3.0, 2.0}};
constexpr BaselineOptions kOptions{.horizon = 4, .discount = 0.5};

void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance = 1e-14) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "credit " << i;
}

TEST(MeanBaseline, TakesOffTheMeanOfAllTrajectoriesAlsoForTimesAfterTheEnd) {
  // b_t = 2, 1, 2/3, 0: the first trajectory ends after one step and still has 2 + 1 + 2/3 taken off.
  const auto baseline = mean_baseline(kOptions);
  const double b0 = 11.0 / 3.0, b1 = 5.0 / 3.0, b2 = 2.0 / 3.0;
  expect_near(baseline->credits(kNone, rewarded(kRewards), Credit::kRewardToGo),
              {2.0 - b0, 5.0 - b0, 4.0 - b1, 2.0 - b2, 4.0 - b0, 1.0 - b1});
  expect_near(baseline->credits(kNone, rewarded(kRewards), Credit::kReturn),
              {2.0 - b0, 5.0 - b0, 5.0 - b0, 5.0 - b0, 4.0 - b0, 4.0 - b0});
}

TEST(LeaveOneOutBaseline, TakesOffTheMeanOfTheOtherTrajectories) {
  const auto baseline = leave_one_out_baseline(kOptions);
  expect_near(baseline->credits(kNone, rewarded(kRewards), Credit::kRewardToGo),
              {2.0 - 4.5, 5.0 - 3.0, 4.0 - 0.5, 2.0 - 0.0, 4.0 - 3.5, 1.0 - 2.0});
  expect_near(baseline->credits(kNone, rewarded(kRewards), Credit::kReturn),
              {2.0 - 4.5, 5.0 - 3.0, 5.0 - 3.0, 5.0 - 3.0, 4.0 - 3.5, 4.0 - 3.5});
}

TEST(LeaveOneOutBaseline, LeavesABatchOfOneAlone) {
  const auto batch = rewarded({{1.0, 4.0, 8.0}});
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    EXPECT_EQ(leave_one_out_baseline(kOptions)->credits(kNone, batch, credit), step_credits(batch, 0.5, credit));
    EXPECT_EQ(mean_baseline(kOptions)->credits(kNone, batch, credit), step_credits(batch, 0.5, credit))
        << "its own mean would leave nothing";
  }
}

TEST(MeanBaseline, IsLeaveOneOutTimesOneMinusOneOverN) {
  const LinearGaussianOptions policy{.observation_size = 2, .action_size = 1};
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    for (const Index size : {2, 5, 11}) {
      const TrajectoryBatch batch = random_batch(policy, std::vector{0.1, 0.2}, size, 9, 3);
      const BaselineOptions options{.horizon = 10, .discount = 0.9};
      std::vector<double> expected = leave_one_out_baseline(options)->credits(kNone, batch, credit);
      for (double& x : expected) x *= 1.0 - 1.0 / static_cast<double>(size);
      expect_near(mean_baseline(options)->credits(kNone, batch, credit), expected, 1e-13);
    }
  }
}

TEST(RunningMeanBaseline, AveragesEarlierBatchesByTheSumOfTheirWeights) {
  const auto baseline = running_mean_baseline(kOptions, 0.25);
  const TrajectoryBatch first = rewarded(kRewards), second = rewarded({{4.0, 8.0}}), third = rewarded({{1.0}});
  EXPECT_EQ(baseline->credits(kNone, first, Credit::kRewardToGo), step_credits(first, 0.5, Credit::kRewardToGo))
      << "the first batch has no earlier one";
  // The means of D_l: 11/3, 5/3, 2/3, 0 of the first batch, 8, 4 of the second.
  expect_near(baseline->credits(kNone, second, Credit::kRewardToGo), {8.0 - 11.0 / 3.0, 4.0 - 5.0 / 3.0});
  const double older = 0.75 * 0.25, newer = 0.25;
  expect_near(baseline->credits(kNone, third, Credit::kRewardToGo),
              {1.0 - (older * 11.0 / 3.0 + newer * 8.0) / (older + newer)});
}

TEST(RunningMeanBaseline, WithARateOfOneIsTheMeanOfTheLastBatch) {
  const auto baseline = running_mean_baseline(kOptions, 1.0);
  baseline->credits(kNone, rewarded({{7.0, 7.0}}), Credit::kReturn);
  baseline->credits(kNone, rewarded(kRewards), Credit::kReturn);
  expect_near(baseline->credits(kNone, rewarded({{4.0, 8.0}}), Credit::kRewardToGo),
              {8.0 - 11.0 / 3.0, 4.0 - 5.0 / 3.0});
  expect_near(baseline->credits(kNone, rewarded({{4.0, 8.0}}), Credit::kReturn), {0.0, 0.0});
}

/// One observation, one action, sigma^2 = 1: the score at theta = 0 is the action times the observation.
std::unique_ptr<Policy> product_policy() {
  return linear_gaussian({.observation_size = 1, .action_size = 1, .evidence = EvidenceKind::kSteps});
}

TEST(PetersBaseline, FreezesTheScoreOfAnEndedTrajectory) {
  // Scores 1 | 2, -1, so running scores 1, 1, 1 | 2, 1, 1 with rewards 2, 0, 0 | 1, 3, 0.
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  batch.add(std::vector{1.0}, std::vector{1.0}, 2.0);
  batch.close();
  batch.add(std::vector{1.0}, std::vector{2.0}, 1.0);
  batch.add(std::vector{1.0}, std::vector{-1.0}, 3.0);
  batch.close();
  const auto policy = product_policy();
  const auto baseline = peters_baseline(*policy, {.horizon = 3});
  const double b0 = (1.0 * 2.0 + 4.0 * 1.0) / 5.0, b1 = (1.0 * 0.0 + 1.0 * 3.0) / 2.0;
  expect_near(baseline->credits(std::vector{0.0}, batch, Credit::kRewardToGo),
              {2.0 - b0 - b1, 4.0 - b0 - b1, 3.0 - b1});
  expect_near(baseline->credits(std::vector{0.0}, batch, Credit::kReturn), {2.0 - 3.0, 4.0 - 3.0, 4.0 - 3.0});
}

TEST(PetersBaseline, IsNothingWhereNoScoreIs) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  for (const double reward : {2.0, 5.0}) {
    batch.add(std::vector{0.0}, std::vector{1.0}, reward);
    batch.close();
  }
  const auto policy = product_policy();
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    EXPECT_EQ(peters_baseline(*policy, {.horizon = 3})->credits(std::vector{0.0}, batch, credit),
              (std::vector{2.0, 5.0}));
  }
}

/// b_t from its definition, at every t < T: for component i, or for the norm if i is negative.
std::vector<double> peters_by_definition(const Policy& policy, Parameters theta, const TrajectoryBatch& batch,
                                         const BaselineOptions& options, Index i) {
  const Index count = policy.parameter_count();
  std::vector<double> result;
  for (Index t = 0; t < options.horizon; ++t) {
    double weighted = 0.0, weights = 0.0;
    for (Index j = 0; j < batch.size(); ++j) {
      std::vector<double> scores;
      policy.running_scores(theta, batch, j, scores);
      const Index row = std::min(t, batch.length(j) - 1);
      double square = 0.0;
      for (Index k = 0; k < count; ++k) {
        if (i < 0 || k == i) square += std::pow(scores[as_size(row * count + k)], 2);
      }
      const double reward = t < batch.length(j) ? std::pow(options.discount, static_cast<double>(t)) *
                                                      batch.rewards[as_size(batch.begin(j) + t)]
                                                : 0.0;
      weighted += square * reward;
      weights += square;
    }
    result.push_back(weighted / weights);
  }
  return result;
}

void expect_peters(const Policy& policy, Parameters theta, const TrajectoryBatch& batch, Index width) {
  const BaselineOptions options{.horizon = 9, .discount = 0.9};
  const std::vector<double> got = peters_baseline(policy, options)->credits(theta, batch, Credit::kRewardToGo);
  const std::vector<double> to_go = step_credits(batch, options.discount, Credit::kRewardToGo);
  ASSERT_EQ(got.size(), to_go.size() * as_size(width));
  for (Index i = 0; i < width; ++i) {
    const std::vector<double> b =
        peters_by_definition(policy, theta, batch, options, policy.component_credits() ? i : -1);
    for (Index j = 0; j < batch.size(); ++j) {
      for (Index l = 0; l < batch.length(j); ++l) {
        double expected = to_go[as_size(batch.begin(j) + l)];
        for (Index t = l; t < options.horizon; ++t) expected -= b[as_size(t)];
        EXPECT_NEAR(got[as_size((batch.begin(j) + l) * width + i)], expected, 1e-12);
      }
    }
  }
}

TEST(PetersBaseline, IsItsDefinitionForEveryParameterOfALinearPolicy) {
  const LinearGaussianOptions options{
      .observation_size = 3, .action_size = 2, .variance = {0.4, 2.0}, .bias = true, .evidence = EvidenceKind::kSteps};
  const std::vector<double> theta = random_numbers(8, 0.3, 5);
  expect_peters(*linear_gaussian(options), theta, random_batch(options, theta, 6, 7, 8), 8);
}

TEST(PetersBaseline, IsItsDefinitionWithTheNormForANetwork) {
  const LinearGaussianOptions like{.observation_size = 3, .action_size = 2};
  const auto network = mlp_gaussian({.observation_size = 3, .action_size = 2, .hidden = {4}});
  const std::vector<double> theta = network->initial_parameters(3);
  expect_peters(*network, theta, random_batch(like, random_numbers(6, 0.3, 5), 6, 7, 8), 1);
}

TEST(PetersBaseline, MinimizesTheSecondMomentOfEveryTerm) {
  const LinearGaussianOptions options{.observation_size = 2, .action_size = 1, .evidence = EvidenceKind::kSteps};
  const auto policy = linear_gaussian(options);
  const std::vector<double> theta = {0.2, -0.1};
  TrajectoryBatch batch = random_batch(options, theta, 500, 6, 12);
  for (double& reward : batch.rewards) reward += 3.0;
  const BaselineOptions with{.horizon = 7, .discount = 0.95};
  const std::vector<double> returns = discounted_returns(batch, with.discount);
  const std::vector<double> whole = peters_baseline(*policy, with)->credits(theta, batch, Credit::kReturn);
  const std::vector<double> to_go = peters_baseline(*policy, with)->credits(theta, batch, Credit::kRewardToGo);
  const std::vector<double> plain = step_credits(batch, with.discount, Credit::kRewardToGo);
  // A trajectory of six steps tells B_0, ..., B_5; B_6 = b_6 = 0, since none is longer.
  Index longest = 0;
  while (batch.length(longest) < 6) ++longest;
  for (Index i = 0; i < 2; ++i) {
    std::vector<double> b(7, 0.0);
    for (Index l = 5; l >= 0; --l) {
      const auto step = as_size(batch.begin(longest) + l);
      b[as_size(l)] = plain[step] - to_go[step * 2 + as_size(i)];
    }
    for (std::size_t l = 0; l < 6; ++l) b[l] -= b[l + 1];
    std::vector<double> scores;
    // Sums over the batch of (c (R - b))^2 and, for every t < 6, of (c_t (gamma^t r_t - b_t))^2, with b moved by `by`.
    const auto second_moments = [&](double by) {
      std::vector<double> sums(7, 0.0);
      for (Index j = 0; j < batch.size(); ++j) {
        policy->running_scores(theta, batch, j, scores);
        const double b_whole = returns[as_size(j)] - whole[as_size(batch.begin(j) * 2 + i)];
        const double last = scores[as_size((batch.length(j) - 1) * 2 + i)];
        sums[6] += std::pow(last * (returns[as_size(j)] - b_whole - by), 2);
        for (Index t = 0; t < 6; ++t) {
          const bool live = t < batch.length(j);
          const double reward =
              live ? std::pow(0.95, static_cast<double>(t)) * batch.rewards[as_size(batch.begin(j) + t)] : 0.0;
          const double score = live ? scores[as_size(t * 2 + i)] : last;
          sums[as_size(t)] += std::pow(score * (reward - b[as_size(t)] - by), 2);
        }
      }
      return sums;
    };
    const std::vector<double> least = second_moments(0.0), up = second_moments(0.05), down = second_moments(-0.05);
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_GT(up[k], least[k]) << k;
      EXPECT_GT(down[k], least[k]) << k;
      EXPECT_NEAR(up[k] - least[k], down[k] - least[k], 1e-6 * least[k]) << "a parabola about its minimum, " << k;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- the value

/// The features of the value from their definition.
std::vector<double> value_features(std::span<const double> s, double time) {
  std::vector<double> result = {1.0, time, time * time};
  result.insert(result.end(), s.begin(), s.end());
  for (std::size_t i = 0; i < s.size(); ++i) {
    for (std::size_t k = i; k < s.size(); ++k) result.push_back(s[i] * s[k]);
  }
  return result;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The value of every step of a batch that V = weights . features gives.
std::vector<double> values_of(const TrajectoryBatch& batch, const std::vector<double>& weights, Index horizon) {
  std::vector<double> values;
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index l = 0; l < batch.length(j); ++l) {
      const double time = static_cast<double>(l) / static_cast<double>(horizon);
      values.push_back(dot(weights, value_features(reference::observation(batch, batch.begin(j) + l), time)));
    }
  }
  return values;
}

const LinearGaussianOptions kTwoObservations{.observation_size = 2, .action_size = 1};
constexpr Index kHorizon = 8;

/// A batch whose rewards-to-go are exactly V = weights . features. It starts with values beyond those of normal
/// observations, so that they are within what was seen.
TrajectoryBatch batch_of_value(const std::vector<double>& weights, std::uint64_t seed, double discount) {
  TrajectoryBatch batch{.observation_size = 2, .action_size = 1};
  for (const double x : {-7.0, 0.0, 7.0}) {
    for (const double y : {-7.0, 0.0, 7.0}) {
      batch.add(std::vector{x, y}, std::vector{0.0}, 0.0);
      batch.close();
    }
  }
  const TrajectoryBatch normal = random_batch(kTwoObservations, std::vector{0.0, 0.0}, 30, kHorizon, seed);
  for (Index j = 0; j < normal.size(); ++j) {
    for (Index t = normal.begin(j); t < normal.begin(j + 1); ++t) {
      batch.add(reference::observation(normal, t), reference::action(normal, t), 0.0);
    }
    batch.close();
  }
  const std::vector<double> values = values_of(batch, weights, kHorizon);
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index l = 0; l < batch.length(j); ++l) {
      const auto step = as_size(batch.begin(j) + l);
      const double next = l + 1 < batch.length(j) ? values[step + 1] : 0.0;
      batch.rewards[step] = (values[step] - next) / std::pow(discount, static_cast<double>(l));
    }
  }
  return batch;
}

double largest(const std::vector<double>& x) {
  double result = 0.0;
  for (const double one : x) result = std::max(result, std::abs(one));
  return result;
}

const std::vector<double> kFirstValue = {2.0, -1.0, 0.5, 1.0, -0.7, 0.3, 0.2, -0.4};
const std::vector<double> kOtherValue = {-1.0, 3.0, 0.1, 0.5, 0.4, -0.2, 0.9, 0.6};

TEST(ValueBaseline, FindsAValueThatItsFeaturesHold) {
  for (const double discount : {1.0, 0.9}) {
    const BaselineOptions options{.horizon = kHorizon, .discount = discount};
    const auto baseline = value_baseline(2, options, {.window = 3, .ridge = 1e-12, .fresh = false});
    const TrajectoryBatch first = batch_of_value(kFirstValue, 1, discount);
    EXPECT_EQ(baseline->credits(kNone, first, Credit::kRewardToGo), step_credits(first, discount, Credit::kRewardToGo))
        << "the first batch has no earlier one";
    // The ridge of 1e-12 moves the fit by about as much; the matrix's condition is below 1e4.
    EXPECT_LT(largest(baseline->credits(kNone, batch_of_value(kFirstValue, 2, discount), Credit::kRewardToGo)), 1e-8);
    EXPECT_LT(largest(baseline->credits(kNone, batch_of_value(kFirstValue, 3, discount), Credit::kReturn)), 1e-8)
        << "R is the reward-to-go of the first step";
  }
}

TEST(ValueBaseline, LooksAtTheFreshBatchOnlyIfItShould) {
  const BaselineOptions options{.horizon = kHorizon};
  const TrajectoryBatch first = batch_of_value(kFirstValue, 1, 1.0);
  const auto fresh = value_baseline(2, options, {.window = 3, .ridge = 1e-12, .fresh = true});
  EXPECT_LT(largest(fresh->credits(kNone, first, Credit::kRewardToGo)), 1e-8);
}

TEST(ValueBaseline, ForgetsBatchesBeyondItsWindow) {
  const BaselineOptions options{.horizon = kHorizon};
  const auto left = [&](Index window, bool fresh) {
    const auto baseline = value_baseline(2, options, {.window = window, .ridge = 1e-12, .fresh = fresh});
    baseline->credits(kNone, batch_of_value(kFirstValue, 1, 1.0), Credit::kRewardToGo);
    for (const std::uint64_t seed : {2U, 3U}) {
      baseline->credits(kNone, batch_of_value(kOtherValue, seed, 1.0), Credit::kRewardToGo);
    }
    return largest(baseline->credits(kNone, batch_of_value(kOtherValue, 4, 1.0), Credit::kRewardToGo));
  };
  EXPECT_LT(left(1, false), 1e-8);
  EXPECT_LT(left(2, false), 1e-8);
  EXPECT_GT(left(3, false), 0.1) << "the third last batch was another value's";
  EXPECT_LT(left(3, true), 1e-8) << "the fresh batch is one of three";
  EXPECT_GT(left(4, true), 0.1);
  EXPECT_GT(left(kFullReuse, false), 0.1);
  EXPECT_NEAR(left(kFullReuse, false), left(3, false), 1e-9);
}

/// x of a x = b by elimination with pivots.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) pivot = std::abs(a[r][c]) > std::abs(a[pivot][c]) ? r : pivot;
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = 0; c < n; ++c) b[c] /= a[c][c];
  return b;
}

/// Credits of the last of some batches by ridge regression on the others, all from the definitions.
std::vector<double> ridge_credits(const std::vector<TrajectoryBatch>& past, const TrajectoryBatch& fresh, double ridge,
                                  double discount) {
  std::vector<std::vector<double>> normal(8, std::vector<double>(8, 0.0));
  std::vector<double> right(8, 0.0);
  double least = 0.0, greatest = 0.0;
  for (const TrajectoryBatch& batch : past) {
    for (Index j = 0; j < batch.size(); ++j) {
      for (Index l = 0; l < batch.length(j); ++l) {
        const std::vector<double> f =
            value_features(reference::observation(batch, batch.begin(j) + l), static_cast<double>(l) / kHorizon);
        const double y = reference::credit(batch, j, l, discount, Credit::kRewardToGo);
        least = std::min(least, y);
        greatest = std::max(greatest, y);
        for (std::size_t a = 0; a < 8; ++a) {
          right[a] += f[a] * y;
          for (std::size_t b = 0; b < 8; ++b) normal[a][b] += f[a] * f[b];
        }
      }
    }
  }
  for (std::size_t a = 0; a < 8; ++a) normal[a][a] *= 1.0 + ridge;
  const std::vector<double> values = values_of(fresh, solve(normal, right), kHorizon);
  std::vector<double> credits = step_credits(fresh, discount, Credit::kRewardToGo);
  for (std::size_t i = 0; i < credits.size(); ++i) credits[i] -= std::clamp(values[i], least, greatest);
  return credits;
}

TEST(ValueBaseline, IsTheRidgeRegressionOverTheStepsOfItsWindow) {
  std::vector<TrajectoryBatch> batches;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    batches.push_back(random_batch(kTwoObservations, std::vector{0.0, 0.0}, 40, kHorizon, seed));
  }
  const std::span all(batches);
  for (const double ridge : {1e-3, 0.5}) {
    for (const bool fresh : {false, true}) {
      const BaselineOptions options{.horizon = kHorizon, .discount = 0.9};
      const auto two = value_baseline(2, options, {.window = 2, .ridge = ridge, .fresh = fresh});
      const auto full = value_baseline(2, options, {.window = kFullReuse, .ridge = ridge, .fresh = fresh});
      std::vector<double> of_two, of_all;
      for (const TrajectoryBatch& batch : batches) {
        of_two = two->credits(kNone, batch, Credit::kRewardToGo);
        of_all = full->credits(kNone, batch, Credit::kRewardToGo);
      }
      const std::size_t end = fresh ? 4 : 3;
      const auto last = [&](std::size_t count) {
        return std::vector<TrajectoryBatch>(batches.begin() + static_cast<std::ptrdiff_t>(end - count),
                                            batches.begin() + static_cast<std::ptrdiff_t>(end));
      };
      expect_near(of_two, ridge_credits(last(2), batches.back(), ridge, 0.9), 1e-11);
      expect_near(of_all, ridge_credits(last(end), batches.back(), ridge, 0.9), 1e-11);
    }
  }
}

TEST(ValueBaseline, StaysWithinTheRewardsToGoItHasSeen) {
  // Fitted on batches whose rewards-to-go are lift - 10 to lift + 10, with a slope of 20 in the first number.
  const auto value_at = [](double s, Index window, const std::vector<double>& lifts) {
    const auto baseline = value_baseline(2, {.horizon = kHorizon}, {.window = window, .ridge = 1e-3, .fresh = false});
    for (const double lift : lifts) {
      TrajectoryBatch batch{.observation_size = 2, .action_size = 1};
      for (int i = -5; i <= 5; ++i) {
        batch.add(std::vector{0.1 * i, 1.0}, std::vector{0.0}, lift + 2.0 * i);
        batch.close();
      }
      baseline->credits(kNone, batch, Credit::kRewardToGo);
    }
    TrajectoryBatch far{.observation_size = 2, .action_size = 1};
    far.add(std::vector{s, 1.0}, std::vector{0.0}, 0.0);
    far.close();
    return -baseline->credits(kNone, far, Credit::kRewardToGo).front();
  };
  for (const Index window : {Index{2}, kFullReuse}) {
    EXPECT_NEAR(value_at(0.25, window, {0.0}), 5.0, 0.1);
    EXPECT_EQ(value_at(30.0, window, {0.0}), 10.0);
    EXPECT_EQ(value_at(-30.0, window, {0.0}), -10.0);
    EXPECT_EQ(value_at(-30.0, window, {50.0, 50.0}), 0.0) << "what is left after the end has been seen, too";
    EXPECT_EQ(value_at(30.0, window, {50.0, 0.0}), 60.0);
  }
  EXPECT_EQ(value_at(30.0, 2, {50.0, 0.0, 0.0}), 10.0) << "the first batch is forgotten";
  EXPECT_EQ(value_at(30.0, kFullReuse, {50.0, 0.0, 0.0}), 60.0);
}

TEST(ValueBaseline, DoesNotDependOnTheUnitsOfTheObservations) {
  const auto credits = [](double unit) {
    const auto baseline = value_baseline(2, {.horizon = kHorizon}, {.window = 2, .ridge = 0.3, .fresh = false});
    std::vector<double> result;
    for (const std::uint64_t seed : {1U, 2U}) {
      TrajectoryBatch batch = random_batch(kTwoObservations, std::vector{0.0, 0.0}, 40, kHorizon, seed);
      for (double& s : batch.observations) s *= unit;
      result = baseline->credits(kNone, batch, Credit::kRewardToGo);
    }
    return result;
  };
  expect_near(credits(1000.0), credits(1.0), 1e-11);
}

TEST(ValueBaseline, IsFiniteWhereAnObservationNeverMoves) {
  const auto baseline = value_baseline(2, {.horizon = kHorizon}, {.window = 2, .ridge = 1e-3, .fresh = false});
  TrajectoryBatch batch = random_batch(kTwoObservations, std::vector{0.0, 0.0}, 40, kHorizon, 1);
  for (std::size_t i = 0; i < batch.observations.size(); ++i) batch.observations[i] = i % 2 == 0 ? 0.0 : 1.0;
  for (int k = 0; k < 3; ++k) {
    for (const double credit : baseline->credits(kNone, batch, Credit::kRewardToGo)) {
      EXPECT_TRUE(std::isfinite(credit));
    }
  }
}

TEST(ValueBaseline, SaysWhenNumbersAreTooLargeToSquare) {
  const auto baseline = value_baseline(2, {.horizon = kHorizon}, {.window = 2, .ridge = 1e-3, .fresh = true});
  TrajectoryBatch batch = random_batch(kTwoObservations, std::vector{0.0, 0.0}, 4, kHorizon, 1);
  for (double& s : batch.observations) s *= 1e100;
  expect_throw<RunError>([&] { baseline->credits(kNone, batch, Credit::kRewardToGo); }, "too large to square");
}

TEST(ValueBaseline, SaysHowMuchMemoryItsWindowTakes) {
  const auto bytes = [](Index observations, Index window, double batches) {
    return value_baseline(observations, {.horizon = kHorizon}, {.window = window, .ridge = 1e-3, .fresh = false})
        ->bytes_needed(batches);
  };
  EXPECT_EQ(bytes(17, 1, 1e6), (174.0 * 175.0 / 2.0 + 2.0) * 8.0) << "173 features, the target, its range";
  EXPECT_EQ(bytes(17, 8, 1e6), 8.0 * bytes(17, 1, 1e6));
  EXPECT_EQ(bytes(17, 8, 3.0), 3.0 * bytes(17, 1, 1e6));
  EXPECT_EQ(bytes(17, kFullReuse, 1e6), bytes(17, 1, 1e6));
}

// ------------------------------------------------------------------------------------------------------- all of them

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Baseline>(const Policy&, const BaselineOptions&)> make;
};

std::vector<Kind> all_kinds() {
  const auto value = [](Index window, bool fresh) {
    return [=](const Policy& policy, const BaselineOptions& options) {
      return value_baseline(policy.observation_size(), options, {.window = window, .ridge = 1e-3, .fresh = fresh});
    };
  };
  return {
      {"mean", [](const Policy&, const BaselineOptions& options) { return mean_baseline(options); }},
      {"leave-one-out", [](const Policy&, const BaselineOptions& options) { return leave_one_out_baseline(options); }},
      {"peters", peters_baseline},
      {"running-mean",
       [](const Policy&, const BaselineOptions& options) { return running_mean_baseline(options, 0.1); }},
      {"value", value(3, false)},
      {"value of all", value(kFullReuse, false)},
      {"value-fresh", value(3, true)}};
}

const LinearGaussianOptions kPolicy{.observation_size = 2, .action_size = 2, .variance = {0.3}, .bias = true};

TEST(Baselines, RestoredInTheMiddleGoOnWithTheSameBits) {
  const auto policy = linear_gaussian(kPolicy);
  const std::vector<double> theta = random_numbers(6, 0.2, 1);
  for (const Kind& kind : all_kinds()) {
    const auto uninterrupted = kind.make(*policy, {.horizon = 9, .discount = 0.9});
    const auto credits = [&](Baseline& baseline, std::uint64_t seed) {
      return bits(baseline.credits(theta, random_batch(kPolicy, theta, 5, 9, seed), Credit::kRewardToGo));
    };
    for (std::uint64_t k = 1; k <= 5; ++k) credits(*uninterrupted, k);
    Archive saved(Archive::Mode::kSave);
    uninterrupted->state(saved);
    Archive archive(saved.entries());
    const auto restored = kind.make(*policy, {.horizon = 9, .discount = 0.9});
    restored->state(archive);
    for (std::uint64_t k = 6; k <= 10; ++k) EXPECT_EQ(credits(*restored, k), credits(*uninterrupted, k)) << kind.name;
  }
}

TEST(Baselines, RefuseTheStateOfAnotherSize) {
  const auto move = [](Baseline& from, Baseline& to) {
    from.credits(kNone, random_batch(kTwoObservations, std::vector{0.0, 0.0}, 5, 4, 1), Credit::kReturn);
    Archive saved(Archive::Mode::kSave);
    from.state(saved);
    Archive archive(saved.entries());
    to.state(archive);
  };
  const ValueOptions value{.window = 3, .ridge = 1e-3, .fresh = false};
  expect_throw([&] { move(*running_mean_baseline({.horizon = 5}, 0.1), *running_mean_baseline({.horizon = 6}, 0.1)); },
               "another horizon");
  expect_throw([&] { move(*value_baseline(2, {.horizon = 5}, value), *value_baseline(3, {.horizon = 5}, value)); },
               "another number of features");
}

TEST(Baselines, RefuseWhatMakesNoSense) {
  expect_throw([] { running_mean_baseline(kOptions, 0.0); }, "must be > 0 and <= 1");
  expect_throw([] { running_mean_baseline(kOptions, 1.5); }, "must be > 0 and <= 1");
  expect_throw([] { value_baseline(2, kOptions, {.window = 3, .ridge = 0.0, .fresh = false}); }, "must be > 0");
  expect_throw([] { value_baseline(2, kOptions, {.window = -1, .ridge = 1.0, .fresh = false}); }, "at least one batch");
  const auto policy = linear_gaussian(kPolicy);
  const std::vector<double> theta(6, 0.0);
  const TrajectoryBatch batch = random_batch(kPolicy, theta, 5, 9, 1);
  for (const Kind& kind : all_kinds()) {
    expect_throw([&] { kind.make(*policy, {.horizon = 9})->credits(theta, batch, Credit::kOne); },
                 "the credit must hold them");
  }
  for (const char* name : {"mean", "peters", "running-mean"}) {
    const auto kinds = all_kinds();
    const auto kind = std::ranges::find(kinds, name, &Kind::name);
    expect_throw([&] { kind->make(*policy, {.horizon = 2})->credits(theta, batch, Credit::kRewardToGo); },
                 "longer than the baseline's horizon");
  }
}

TEST(Baselines, GiveTheSameCreditAtEveryStepForTheWholeReturn) {
  const auto policy = linear_gaussian(kPolicy);
  const std::vector<double> theta = random_numbers(6, 0.2, 1);
  for (const Kind& kind : all_kinds()) {
    const auto baseline = kind.make(*policy, {.horizon = 9, .discount = 0.9});
    for (const std::uint64_t seed : {1U, 2U}) {
      const TrajectoryBatch batch = random_batch(kPolicy, theta, 5, 9, seed);
      const std::vector<double> credits = baseline->credits(theta, batch, Credit::kReturn);
      const std::size_t width = credits.size() / as_size(batch.steps());
      for (Index j = 0; j < batch.size(); ++j) {
        for (std::size_t i = as_size(batch.begin(j)) * width; i < as_size(batch.begin(j + 1)) * width; ++i) {
          EXPECT_EQ(credits[i], credits[as_size(batch.begin(j)) * width + i % width]) << kind.name;
        }
      }
    }
  }
}

TEST(Baselines, FoldIntoMoments) {
  LinearGaussianOptions options = kPolicy;
  const auto moments = linear_gaussian(options);
  options.evidence = EvidenceKind::kSteps;
  const auto steps = linear_gaussian(options);
  const std::vector<double> theta = random_numbers(6, 0.2, 1), later = random_numbers(6, 0.2, 2);
  const std::vector<double> weights = {0.3, 0.1, 0.4, 1.1, 0.2, 0.9, 0.5};
  for (const Kind& kind : all_kinds()) {
    if (kind.name == "peters") continue;  // a credit for each parameter has no moments
    for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
      const auto baseline = kind.make(*moments, {.horizon = 9, .discount = 0.9});
      baseline->credits(theta, random_batch(kPolicy, theta, 7, 9, 1), credit);
      const TrajectoryBatch batch = random_batch(kPolicy, theta, 7, 9, 2);
      const std::vector<double> credits = baseline->credits(theta, batch, credit);
      const std::vector<double> one = gradient(*moments->digest(theta, batch, credits), later, weights);
      const std::vector<double> other = gradient(*steps->digest(theta, batch, credits), later, weights);
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_NEAR(one[i], other[i], 1e-10 * std::max(1.0, std::abs(other[i]))) << kind.name;
      }
    }
  }
}

TEST(Baselines, MovedByAConstantMoveTheGradientByItTimesTheMeanScore) {
  // A running mean that saw returns higher by c takes c more off.
  const auto policy = linear_gaussian(kPolicy);
  const std::vector<double> theta = random_numbers(6, 0.2, 1), weights(7, 1.0 / 7.0);
  const TrajectoryBatch batch = random_batch(kPolicy, theta, 7, 9, 2);
  constexpr double c = 2.5;
  const auto reinforce = [&](double more) {
    TrajectoryBatch past = random_batch(kPolicy, theta, 7, 9, 1);
    for (Index j = 0; j < past.size(); ++j) past.rewards[as_size(past.begin(j))] += more;
    const auto baseline = running_mean_baseline({.horizon = 9, .discount = 0.9}, 0.1);
    baseline->credits(theta, past, Credit::kReturn);
    return gradient(*policy->digest(theta, batch, baseline->credits(theta, batch, Credit::kReturn)), theta, weights);
  };
  const std::vector<double> score = gradient(*policy->digest(theta, batch, 0.9, Credit::kOne), theta, weights);
  const std::vector<double> low = reinforce(0.0), high = reinforce(c);
  for (std::size_t i = 0; i < score.size(); ++i) {
    EXPECT_NEAR(high[i] - low[i], -c * score[i], 1e-12 * std::max(1.0, std::abs(low[i])));
    EXPECT_GT(std::abs(score[i]), 1e-3) << "the comparison means something";
  }
}

}  // namespace
}  // namespace retropg
