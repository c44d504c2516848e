#include "retropg/baseline/baseline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "retropg/core/archive.hpp"
#include "support/baseline_credits.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

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
    Archive archive(saved.state());
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
    Archive archive(saved.state());
    to.state(archive);
  };
  const ValueOptions value{.window = 3, .ridge = 1e-3, .fresh = false};
  expect_throw([&] { move(*running_mean_baseline({.horizon = 5}, 0.1), *running_mean_baseline({.horizon = 6}, 0.1)); },
               "a different horizon");
  expect_throw([&] { move(*value_baseline(2, {.horizon = 5}, value), *value_baseline(3, {.horizon = 5}, value)); },
               "a different number of features");
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
                 "needs a credit that contains rewards");
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
}  // namespace retropg::test
