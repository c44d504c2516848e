#include "retropg/policy/evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "retropg/environment/environment.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/credit_setting.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_close.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr std::array kBothKinds = {EvidenceKind::kMoments, EvidenceKind::kSteps};

/// One shape of the linear Gaussian policy.
struct Shape {
  Index observations, actions;
  bool bias, scaled, variances;
};

LinearGaussianOptions options(const Shape& shape) {
  LinearGaussianOptions result{
      .observation_size = shape.observations, .action_size = shape.actions, .variance = {0.3}, .bias = shape.bias};
  if (shape.scaled) {
    result.shift = random_numbers(shape.observations, 0.5, 101);
    result.scale = random_numbers(shape.observations, 0.7, 102);
  }
  if (shape.variances) {
    result.variance.clear();
    for (Index u = 0; u < shape.actions; ++u) result.variance.push_back(0.1 + 0.4 * static_cast<double>(u));
  }
  return result;
}

std::unique_ptr<Policy> policy_of(LinearGaussianOptions options, EvidenceKind kind) {
  options.evidence = kind;
  return linear_gaussian(options);
}

constexpr std::array<CreditSetting, 4> kSettings = {
    {{Credit::kRewardToGo, 1.0}, {Credit::kRewardToGo, 0.9}, {Credit::kReturn, 1.0}, {Credit::kReturn, 0.9}}};

class LinearGaussianEvidence : public testing::TestWithParam<Shape> {
 protected:
  const LinearGaussianOptions options_ = options(GetParam());
  const Index count_ = reference::parameter_count(options_);
  const std::vector<double> behavior_ = random_numbers(count_, 0.5, 1);
  const std::vector<double> theta_ = sum_of(behavior_, random_numbers(count_, 0.2, 2));

  std::unique_ptr<Evidence> digest(EvidenceKind kind, const TrajectoryBatch& batch,
                                   const CreditSetting& setting = {Credit::kRewardToGo, 1.0},
                                   Parameters behavior = {}) const {
    return policy_of(options_, kind)
        ->digest(behavior.empty() ? behavior_ : behavior, batch, setting.discount, setting.credit);
  }

  /// Moments and steps of batches of 1 to 9 trajectories, in every setting, at theta near the behavior.
  void expect_agreement(const std::vector<double>& behavior, const std::vector<double>& theta) const {
    for (Index size = 1; size <= 9; ++size) {
      const TrajectoryBatch batch = random_batch(options_, behavior, size, 30, static_cast<std::uint64_t>(size));
      const std::vector<double> weights = random_numbers(size, 1.0, 3);
      for (const CreditSetting& setting : kSettings) {
        const Answers moments = ask(*digest(EvidenceKind::kMoments, batch, setting, behavior), theta, weights);
        const Answers steps = ask(*digest(EvidenceKind::kSteps, batch, setting, behavior), theta, weights);
        expect_close(moments.log_ratio, steps.log_ratio, 1e-10, "log-ratio");
        expect_close(moments.renyi, steps.renyi, 1e-10, "Renyi divergence");
        expect_close(moments.rows, steps.rows, 1e-10, "gradient");
      }
    }
  }
};

TEST_P(LinearGaussianEvidence, MomentsAndStepsAgree) {
  expect_agreement(behavior_, theta_);
}

TEST_P(LinearGaussianEvidence, MomentsAndStepsAgreeAtLargeParameters) {
  const std::vector<double> far = random_numbers(count_, 100.0, 4);
  expect_agreement(far, sum_of(far, random_numbers(count_, 0.1, 5)));
}

TEST_P(LinearGaussianEvidence, LogRatioIsTheDifferenceOfTheLogDensities) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, 7, 20, 6);
  for (const EvidenceKind kind : kBothKinds) {
    const Answers answers = ask(*digest(kind, batch), theta_, std::vector<double>(7, 1.0));
    for (Index j = 0; j < batch.size(); ++j) {
      const double expected = reference::log_likelihood(options_, theta_, batch, j) -
                              reference::log_likelihood(options_, behavior_, batch, j);
      // the difference of two sums of some hundred terms of size 1 to 10 has lost three digits or four
      EXPECT_NEAR(answers.log_ratio[as_size(j)], expected, 1e-10 * std::max(1.0, std::abs(expected))) << j;
      EXPECT_GT(std::abs(expected), 1e-4);  // so that a constant 0 would not do
    }
  }
}

TEST_P(LinearGaussianEvidence, RenyiDivergenceIsTheSumOfSquaredShiftsOfTheMean) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, 7, 20, 7);
  for (const EvidenceKind kind : kBothKinds) {
    const Answers answers = ask(*digest(kind, batch), theta_, std::vector<double>(7, 1.0));
    for (Index j = 0; j < batch.size(); ++j) {
      const double expected = reference::distance(options_, theta_, behavior_, batch, j);
      EXPECT_NEAR(answers.renyi[as_size(j)], expected, 1e-12 * std::max(1.0, expected)) << j;
      EXPECT_GT(expected, 0.0);
    }
  }
}

TEST_P(LinearGaussianEvidence, GradientIsTheWeightedSumOfCreditTimesScore) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, 7, 20, 8);
  const std::vector<double> weights = random_numbers(7, 1.0, 9);
  for (const CreditSetting& setting : kSettings) {
    std::vector<double> expected(as_size(count_), 0.0);
    for (Index j = 0; j < batch.size(); ++j) {
      const std::vector<double> one = reference::gradient(options_, theta_, batch, j, setting.discount, setting.credit);
      for (std::size_t i = 0; i < one.size(); ++i) expected[i] += weights[as_size(j)] * one[i];
    }
    for (const EvidenceKind kind : kBothKinds) {
      expect_close(gradient(*digest(kind, batch, setting), theta_, weights), expected, 1e-11, "gradient");
    }
  }
}

TEST_P(LinearGaussianEvidence, ScoreIsTheDerivativeOfTheLogLikelihood) {
  // A reward of 1 on step m alone makes the reward-to-go 1 up to step m and 0 after it: the gradient is the derivative
  // of the log-likelihood of the first m + 1 steps. With the return as credit it is that of all steps.
  TrajectoryBatch batch = random_batch(options_, behavior_, 5, 12, 10);
  TrajectoryBatch prefixes{.observation_size = batch.observation_size, .action_size = batch.action_size};
  std::ranges::fill(batch.rewards, 0.0);
  for (Index j = 0; j < batch.size(); ++j) {
    const Index rewarded = batch.length(j) / 2;
    batch.rewards[as_size(batch.begin(j) + rewarded)] = 1.0;
    for (Index t = batch.begin(j); t <= batch.begin(j) + rewarded; ++t) {
      prefixes.add(reference::observation(batch, t), reference::action(batch, t), 0.0);
    }
    prefixes.close();
  }
  const std::vector<double> weights = {0.7, -1.1, 0.4, 1.3, -0.6};
  for (const EvidenceKind kind : kBothKinds) {
    for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
      const auto counted = digest(kind, credit == Credit::kReturn ? batch : prefixes);
      const auto objective = [&](const std::vector<double>& theta) {
        const std::vector<double> log_ratio = ask(*counted, theta, weights).log_ratio;
        return std::inner_product(weights.begin(), weights.end(), log_ratio.begin(), 0.0);
      };
      const std::vector<double> score = gradient(*digest(kind, batch, {credit, 1.0}), theta_, weights);

      constexpr double h = 1e-3;  // the objective is quadratic: only rounding, some 1e-12 / h, is left
      for (std::size_t i = 0; i < score.size(); ++i) {
        std::vector<double> above = theta_, below = theta_;
        above[i] += h;
        below[i] -= h;
        const double difference = (objective(above) - objective(below)) / (2.0 * h);
        EXPECT_NEAR(score[i], difference, 1e-8 * std::max(1.0, std::abs(difference))) << "parameter " << i;
      }
    }
  }
}

TEST_P(LinearGaussianEvidence, AtTheBehaviorBothNumbersAreZeroToTheLastBit) {
  for (const double scale : {0.5, 100.0}) {
    const std::vector<double> behavior = random_numbers(count_, scale, 11);
    const TrajectoryBatch batch = random_batch(options_, behavior, 6, 25, 12);
    for (const EvidenceKind kind : kBothKinds) {
      const auto evidence = digest(kind, batch, {Credit::kRewardToGo, 1.0}, behavior);
      const std::vector<double> zeros(8, 0.0), weights(6, 1.0);
      const Answers here = ask(*evidence, behavior, weights);
      EXPECT_EQ(bits(here.log_ratio), bits(zeros));
      EXPECT_EQ(bits(here.renyi), bits(zeros));

      std::vector<double> near = behavior;
      near.back() *= 1.0 + 1e-9;
      EXPECT_NE(bits(ask(*evidence, near, weights).log_ratio), bits(zeros));
    }
  }
}

TEST_P(LinearGaussianEvidence, PaddingSaysNothing) {
  for (Index size = 1; size <= 9; ++size) {
    const TrajectoryBatch batch = random_batch(options_, behavior_, size, 10, 13);
    for (const EvidenceKind kind : kBothKinds) {
      const auto evidence = digest(kind, batch);
      EXPECT_EQ(evidence->size(), size);
      const Answers answers = ask(*evidence, theta_, std::vector<double>(as_size(size), 1.0));
      ASSERT_EQ(as_index(answers.renyi.size()) % kChunk, 0);
      for (std::size_t j = 0; j < answers.renyi.size(); ++j) {
        const bool real = static_cast<Index>(j) < size;
        EXPECT_EQ(answers.renyi[j] != 0.0, real);
        EXPECT_EQ(answers.log_ratio[j] != 0.0, real);
      }
    }
  }
}

TEST_P(LinearGaussianEvidence, PartsOfTheBatchAnswerAsTheWholeDoes) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, 14, 10, 14);  // 4 chunks
  std::vector<double> weights = random_numbers(14, 1.0, 15);
  for (const EvidenceKind kind : kBothKinds) {
    const auto evidence = digest(kind, batch);
    const Answers whole = ask(*evidence, theta_, weights);
    weights.resize(16, 0.0);
    for (const auto& [first, last] : {std::pair<Index, Index>{0, 1}, {1, 3}, {2, 4}, {3, 4}}) {
      std::vector<double> log_ratio(as_size((last - first) * kChunk)), distance(log_ratio.size());
      std::vector<double> rows(as_size((last - first) * count_));
      evidence->compare(theta_, 2.0, first, last, log_ratio.data(), distance.data(), nullptr);
      evidence->weighted_gradient(theta_, weights.data() + first * kChunk, first, last, rows.data(), nullptr);
      const auto part = [&](const std::vector<double>& all, Index width) {
        return std::span(all).subspan(as_size(first * width), as_size((last - first) * width));
      };
      EXPECT_EQ(bits(log_ratio), bits(part(whole.log_ratio, kChunk)));
      EXPECT_EQ(bits(distance), bits(part(whole.renyi, kChunk)));
      EXPECT_EQ(bits(rows), bits(part(whole.rows, count_)));
    }
    weights.resize(14);
  }
}

TEST_P(LinearGaussianEvidence, ATrajectoryDoesNotDependOnItsNeighbors) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, 11, 25, 16);
  for (const EvidenceKind kind : kBothKinds) {
    const Answers together = ask(*digest(kind, batch), theta_, std::vector<double>(11, 1.0));
    for (Index j = 0; j < batch.size(); ++j) {
      const auto alone = digest(kind, pick(batch, std::array{j}));
      const Answers one = ask(*alone, theta_, std::array{1.0});
      EXPECT_EQ(bits(std::span(one.log_ratio).first(1)), bits(std::span(together.log_ratio).subspan(as_size(j), 1)));
      EXPECT_EQ(bits(std::span(one.renyi).first(1)), bits(std::span(together.renyi).subspan(as_size(j), 1)));
    }
  }
}

TEST_P(LinearGaussianEvidence, RestoredFromItsNumbersItAnswersTheSame) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, 6, 12, 17);
  const std::vector<double> weights = random_numbers(6, 1.0, 18);
  for (const EvidenceKind kind : kBothKinds) {
    const auto policy = policy_of(options_, kind);
    const auto evidence = policy->digest(behavior_, batch, 0.95, Credit::kRewardToGo);
    const std::vector<double> numbers(evidence->numbers().begin(), evidence->numbers().end());
    const auto restored = policy->restore(behavior_, 6, numbers);

    EXPECT_EQ(restored->size(), 6);
    EXPECT_EQ(bytes_of(*restored), bytes_of(*evidence));
    EXPECT_EQ(bits(restored->numbers()), bits(numbers));
    const Answers before = ask(*evidence, theta_, weights), after = ask(*restored, theta_, weights);
    EXPECT_EQ(bits(after.log_ratio), bits(before.log_ratio));
    EXPECT_EQ(bits(after.renyi), bits(before.renyi));
    EXPECT_EQ(bits(after.rows), bits(before.rows));

    expect_throw([&] { policy->restore(behavior_, 6, std::span(numbers).first(numbers.size() - 1)); },
                 "the size of the saved evidence does not match its policy");
    expect_throw([&] { policy->restore(behavior_, 6, {}); },
                 "the size of the saved evidence does not match its policy");
  }
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  const Shape& shape = info.param;
  return std::to_string(shape.observations) + "x" + std::to_string(shape.actions) + (shape.bias ? "Bias" : "") +
         (shape.scaled ? "Scaled" : "") + (shape.variances ? "Variances" : "");
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinearGaussianEvidence,
                         testing::Values(Shape{4, 1, false, false, false}, Shape{4, 1, true, false, false},
                                         Shape{4, 1, false, true, false}, Shape{3, 2, false, false, false},
                                         Shape{3, 2, true, false, true}, Shape{3, 2, true, true, true},
                                         Shape{3, 2, false, true, false}, Shape{17, 6, false, false, false},
                                         Shape{17, 6, true, true, true}, Shape{1, 1, false, false, false}),
                         shape_name);

// A bias gives padded steps (observation 0, action 0) a likelihood that depends on theta: they must not count.
TEST(Evidence, PaddedStepsOfShortTrajectoriesDoNotEnterWithABias) {
  const LinearGaussianOptions options{.observation_size = 2, .action_size = 1, .variance = {0.5}, .bias = true};
  const std::vector<double> behavior = {0.3, -0.2, 0.9}, theta = {0.1, 0.4, -0.5};
  TrajectoryBatch batch = random_batch(options, behavior, 5, 1, 21);
  const TrajectoryBatch longer = random_batch(options, behavior, 12, 1, 22);  // its 12 steps, end to end
  for (Index t = 0; t < longer.steps(); ++t) {
    batch.add(reference::observation(longer, t), reference::action(longer, t), 1.0);
  }
  batch.close();

  const double zero_step = reference::log_density(options, theta, std::vector{0.0, 0.0}, std::vector{0.0}) -
                           reference::log_density(options, behavior, std::vector{0.0, 0.0}, std::vector{0.0});
  ASSERT_GT(std::abs(zero_step), 0.1);  // what one padded step would add
  for (const EvidenceKind kind : kBothKinds) {
    const auto evidence = policy_of(options, kind)->digest(behavior, batch, 1.0, Credit::kRewardToGo);
    const Answers answers = ask(*evidence, theta, std::vector<double>(6, 1.0));
    for (Index j = 0; j < batch.size(); ++j) {
      const double expected =
          reference::log_likelihood(options, theta, batch, j) - reference::log_likelihood(options, behavior, batch, j);
      EXPECT_NEAR(answers.log_ratio[as_size(j)], expected, 1e-12 * std::max(1.0, std::abs(expected)));
      EXPECT_NEAR(answers.renyi[as_size(j)], reference::distance(options, theta, behavior, batch, j), 1e-12 * 100.0);
    }
    for (Index j = 0; j < batch.size(); ++j) {
      std::vector<double> only(6, 0.0);
      only[as_size(j)] = 1.0;
      const std::vector<double> expected = reference::gradient(options, theta, batch, j, 1.0, Credit::kRewardToGo);
      expect_close(gradient(*evidence, theta, only), expected, 1e-12, "gradient");
    }
  }
}

TEST(Evidence, OfASimulationThatEndsEarlyIsThatOfItsSteps) {
  const EnvironmentDefinition environment = cart_pole();
  const LinearGaussianOptions options{.observation_size = 4, .action_size = 1, .variance = {0.3}, .bias = true};
  const std::vector<double> behavior = {1.0, 0.5, 2.0, -0.4, 0.6}, theta = {0.9, 0.7, 2.2, -0.1, 0.2};
  const Workers workers;
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    const auto moments = policy_of(options, EvidenceKind::kMoments), steps = policy_of(options, EvidenceKind::kSteps);
    Collector collector(environment, *moments, {.seed = 3, .lanes = 8, .credit = credit}, workers);
    const TrajectoryBatch batch = collector.collect_steps(behavior, 1, 0, 21);
    const Collected collected = collector.collect(behavior, 1, 0, 21);
    Index shortest = 200, longest = 0;
    for (Index j = 0; j < batch.size(); ++j) {
      shortest = std::min(shortest, batch.length(j));
      longest = std::max(longest, batch.length(j));
    }
    ASSERT_LT(shortest + 10, longest);

    const auto digested = moments->digest(behavior, batch, environment.discount, credit);
    EXPECT_EQ(bits(collected.evidence->numbers()), bits(digested->numbers()));

    const std::vector<double> weights = random_numbers(21, 1.0, 23);
    const Answers a = ask(*collected.evidence, theta, weights);
    const Answers b = ask(*steps->digest(behavior, batch, environment.discount, credit), theta, weights);
    expect_close(a.log_ratio, b.log_ratio, 1e-10, "log-ratio");
    expect_close(a.renyi, b.renyi, 1e-10, "Renyi divergence");
    expect_close(a.rows, b.rows, 1e-10, "gradient");
  }
}

TEST(Evidence, OfMomentsDoesNotGrowWithTheLengthOfTheTrajectories) {
  const LinearGaussianOptions options{.observation_size = 4, .action_size = 1, .variance = {0.3}};
  const std::vector<double> behavior(4, 0.1);
  const auto policy = policy_of(options, EvidenceKind::kMoments);
  for (const Index longest : {2, 200}) {
    const auto evidence =
        policy->digest(behavior, random_batch(options, behavior, 8, longest, 24), 1.0, Credit::kRewardToGo);
    EXPECT_EQ(bytes_of(*evidence), 8 * policy->bytes_per_trajectory(200));
    EXPECT_EQ(bytes_of(*evidence), 8 * 28 * 8);  // 10 + 4 moments, plain and credited, in double precision
    EXPECT_EQ(bytes_of(*evidence), static_cast<Index>(8 * evidence->numbers().size()));
  }
}

}  // namespace
}  // namespace retropg::test
