#include "retropg/baseline/baseline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/baseline_credits.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

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

}  // namespace
}  // namespace retropg::test
