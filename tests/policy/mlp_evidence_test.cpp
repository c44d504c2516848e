#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/network/network.hpp"
#include "retropg/policy/evidence.hpp"
#include "support/bits.hpp"
#include "support/credit_setting.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_close.hpp"
#include "support/mlp_evidence.hpp"
#include "support/random_batch.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_P(MlpEvidence, LogRatioIsTheDifferenceOfTheLogDensities) {
  for (Index size = 1; size <= 9; ++size) {
    const auto seed = static_cast<std::uint64_t>(size);
    const TrajectoryBatch batch = random_batch(options_, behavior_, ragged(size, 12, seed), seed);
    const Answers answers = ask(*digest(batch), theta_, std::vector<double>(as_size(size), 1.0));
    ASSERT_EQ(as_index(answers.log_ratio.size()), chunk_count(size) * kChunk);
    for (Index j = 0; j < size; ++j) {
      const double expected = reference::log_likelihood(options_, theta_, batch, j) -
                              reference::log_likelihood(options_, behavior_, batch, j);
      // the difference of two sums of up to a hundred terms of size 1 to 10 has lost three digits or four
      EXPECT_NEAR(answers.log_ratio[as_size(j)], expected, 1e-11 * std::max(1.0, std::abs(expected)))
          << j << " of " << size;
      EXPECT_GT(std::abs(expected), 1e-6) << "a constant 0 would not do";
    }
  }
}

TEST_P(MlpEvidence, RenyiDivergenceIsTheSumOfSquaredShiftsOfTheMean) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, ragged(7, 20, 7), 7);
  const Answers answers = ask(*digest(batch), theta_, std::vector<double>(7, 1.0));
  for (Index j = 0; j < 7; ++j) {
    const double expected = reference::distance(options_, theta_, behavior_, batch, j);
    EXPECT_NEAR(answers.renyi[as_size(j)], expected, 1e-12 * std::max(1.0, expected)) << j;
    EXPECT_GT(expected, 1e-6);
  }
}

TEST_P(MlpEvidence, TrajectoriesLongerThanATileAnswerAsTheirSteps) {
  const std::array<Index, 6> lengths = {64, 65, 1, 129, 63, 200};
  const TrajectoryBatch batch = random_batch(options_, behavior_, lengths, 8);
  const std::vector<double> weights = random_numbers(6, 1.0, 9);
  const auto evidence = digest(batch);
  const Answers answers = ask(*evidence, theta_, weights);
  for (Index j = 0; j < 6; ++j) {
    const double expected = reference::log_likelihood(options_, theta_, batch, j) -
                            reference::log_likelihood(options_, behavior_, batch, j);
    EXPECT_NEAR(answers.log_ratio[as_size(j)], expected, 1e-10 * std::max(1.0, std::abs(expected))) << j;
    const double distance = reference::distance(options_, theta_, behavior_, batch, j);
    EXPECT_NEAR(answers.renyi[as_size(j)], distance, 1e-11 * std::max(1.0, distance)) << j;
  }
  // One trajectory a step, whose only reward is that step's credit: nothing is longer than a tile there.
  TrajectoryBatch single{.observation_size = batch.observation_size, .action_size = batch.action_size};
  std::vector<double> step_weights;
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index l = 0; l < batch.length(j); ++l) {
      const Index t = batch.begin(j) + l;
      single.add(reference::observation(batch, t), reference::action(batch, t),
                 reference::credit(batch, j, l, 1.0, Credit::kRewardToGo));
      single.close();
      step_weights.push_back(weights[as_size(j)]);
    }
  }
  const std::vector<double> expected = gradient(*digest(single), theta_, step_weights);
  double scale = 0.0;
  for (const double number : expected) scale = std::max(scale, std::abs(number));
  const std::vector<double> got = gradient(*evidence, theta_, weights);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12 * scale) << i;
}

TEST_P(MlpEvidence, GradientIsTheDerivativeOfTheCreditedLogDensities) {
  constexpr double h = 1e-5;
  // Steps of h move a hidden unit's input by some 10 h; a ReLU further from its kink than that is smooth.
  const TrajectoryBatch batch = random_batch(options_, theta_, std::array<Index, 5>{3, 1, 2, 3, 1}, 10, 1e-3);
  const std::vector<double> weights = {0.7, -1.1, 0.4, 1.3, -0.6};
  const Index stride = std::max<Index>(1, count_ / 150);  // every parameter of a small network, some of a large one
  for (const CreditSetting& setting : kMlpCredits) {
    const std::vector<double> got = gradient(*digest(batch, setting), theta_, weights);
    ASSERT_EQ(as_index(got.size()), count_);
    const auto objective = [&](const std::vector<double>& theta) {
      return reference::surrogate(options_, theta, batch, weights, setting.discount, setting.credit);
    };
    double largest = 0.0;
    for (Index i = 0; i < count_; i += i + stride < count_ || i == count_ - 1 ? stride : count_ - 1 - i) {
      std::vector<double> above = theta_, below = theta_;
      above[as_size(i)] += h;
      below[as_size(i)] -= h;
      const double difference = (objective(above) - objective(below)) / (2.0 * h);
      EXPECT_NEAR(got[as_size(i)], difference, 1e-6 * std::max(1.0, std::abs(difference))) << "parameter " << i;
      largest = std::max(largest, std::abs(difference));
    }
    EXPECT_GT(largest, 0.1) << "zeros would not do";
  }
}

TEST_P(MlpEvidence, GradientIsLinearInTheWeights) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, ragged(6, 9, 11), 11);
  const auto evidence = digest(batch);
  const std::vector<double> weights = random_numbers(6, 1.0, 12);
  std::vector<double> sum(as_size(count_), 0.0);
  for (std::size_t j = 0; j < 6; ++j) {
    std::vector<double> only(6, 0.0);
    only[j] = 1.0;
    const std::vector<double> one = gradient(*evidence, theta_, only);
    EXPECT_TRUE(std::ranges::any_of(one, [](double x) { return x != 0.0; }));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights[j] * one[i];
  }
  expect_close(gradient(*evidence, theta_, weights), sum, 1e-11, "gradient");
}

TEST_P(MlpEvidence, AtTheBehaviorBothNumbersAreZeroToTheLastBit) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, std::array<Index, 6>{1, 70, 64, 3, 5, 130}, 13);
  const std::vector<double> zeros(8, 0.0), weights(6, 1.0);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const auto evidence = digest(batch);
    const Answers here = ask(*evidence, behavior_, weights);
    EXPECT_EQ(bits(here.log_ratio), bits(zeros)) << target;
    EXPECT_EQ(bits(here.renyi), bits(zeros)) << target;
    std::vector<double> near = behavior_;
    near.back() += 1e-9;
    EXPECT_NE(bits(ask(*evidence, near, weights).log_ratio), bits(zeros)) << target;
  }
}

TEST_P(MlpEvidence, DoesNotDependOnTheTargetWhereItFuses) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, std::array<Index, 5>{1, 70, 64, 3, 5}, 14);
  const std::vector<double> weights = random_numbers(5, 1.0, 15);
  std::vector<Answers> of_targets;
  for (const std::string& target : fused_targets()) {
    const ForcedTarget forced(target);
    const auto evidence = digest(batch);
    of_targets.push_back(ask(*evidence, theta_, weights));
    const Answers &a = of_targets.back(), &b = of_targets.front();
    EXPECT_EQ(bits(a.log_ratio), bits(b.log_ratio)) << target;
    EXPECT_EQ(bits(a.renyi), bits(b.renyi)) << target;
    EXPECT_EQ(bits(a.rows), bits(b.rows)) << target;
  }
}

TEST_P(MlpEvidence, PaddingSaysNothing) {
  for (Index size = 1; size <= 9; ++size) {
    const auto evidence = digest(random_batch(options_, behavior_, ragged(size, 5, 16), 16));
    EXPECT_EQ(evidence->size(), size);
    const Answers answers = ask(*evidence, theta_, std::vector<double>(as_size(size), 1.0));
    for (std::size_t j = 0; j < answers.renyi.size(); ++j) {
      const bool real = static_cast<Index>(j) < size;
      EXPECT_EQ(answers.renyi[j] != 0.0, real) << j << " of " << size;
      EXPECT_EQ(answers.log_ratio[j] != 0.0, real) << j << " of " << size;
    }
  }
}

TEST_P(MlpEvidence, PartsOfTheBatchAnswerAsTheWholeDoes) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, ragged(14, 30, 17), 17);  // 4 chunks
  std::vector<double> weights = random_numbers(14, 1.0, 18);
  const auto evidence = digest(batch);
  const Answers whole = ask(*evidence, theta_, weights);
  weights.resize(16, 0.0);
  for (const auto& [first, last] : {std::pair<Index, Index>{0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}) {
    std::vector<double> log_ratio(as_size((last - first) * kChunk), kNan), distance = log_ratio;
    std::vector<double> rows(as_size((last - first) * count_), kNan);
    evidence->compare(theta_, 2.0, first, last, log_ratio.data(), distance.data(), nullptr);
    evidence->weighted_gradient(theta_, weights.data() + first * kChunk, first, last, rows.data(), nullptr);
    const auto part = [&](const std::vector<double>& all, Index width) {
      return std::span(all).subspan(as_size(first * width), as_size((last - first) * width));
    };
    EXPECT_EQ(bits(log_ratio), bits(part(whole.log_ratio, kChunk))) << first << " to " << last;
    EXPECT_EQ(bits(distance), bits(part(whole.renyi, kChunk))) << first << " to " << last;
    EXPECT_EQ(bits(rows), bits(part(whole.rows, count_))) << first << " to " << last;
  }
}

TEST_P(MlpEvidence, ATrajectoryDoesNotDependOnItsNeighbors) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, ragged(7, 80, 19), 19);
  const Answers together = ask(*digest(batch), theta_, std::vector<double>(7, 1.0));
  for (Index j = 0; j < batch.size(); ++j) {
    const Answers one = ask(*digest(pick(batch, std::array{j})), theta_, std::array{1.0});
    EXPECT_EQ(bits(std::span(one.log_ratio).first(1)), bits(std::span(together.log_ratio).subspan(as_size(j), 1)));
    EXPECT_EQ(bits(std::span(one.renyi).first(1)), bits(std::span(together.renyi).subspan(as_size(j), 1)));
  }
}

TEST_P(MlpEvidence, StepLogDensitiesAreThoseOfTheGaussian) {
  const std::array<Index, 6> lengths = {1, 70, 64, 3, 5, 130};
  const TrajectoryBatch batch = random_batch(options_, behavior_, lengths, 24);
  const auto evidence = digest(batch);
  const auto& steps = as<StepwiseEvidence>(*evidence);
  EXPECT_EQ(steps.first_step(0), 0);
  EXPECT_EQ(steps.first_step(3), 135);
  EXPECT_EQ(steps.first_step(6), batch.steps());
  const std::vector<double> other = sum_of(theta_, random_numbers(count_, 0.1 * spread_, 25));
  std::vector<double> densities(as_size(batch.steps()), kNan), other_densities(densities);
  steps.step_log_densities(theta_, 0, 2, densities.data());
  steps.step_log_densities(other, 0, 2, other_densities.data());
  for (Index t = 0; t < batch.steps(); ++t) {
    const auto density = [&](Parameters theta) {
      return reference::log_density(options_, theta, reference::observation(batch, t), reference::action(batch, t));
    };
    const double expected = density(theta_) - density(other);
    ASSERT_NEAR(densities[as_size(t)] - other_densities[as_size(t)], expected,
                1e-11 * std::max(1.0, std::abs(expected)))
        << "step " << t;
  }
  std::vector<double> second(as_size(batch.steps() - batch.begin(kChunk)), kNan);
  steps.step_log_densities(theta_, 1, 2, second.data());
  EXPECT_EQ(bits(second), bits(std::span(densities).subspan(as_size(batch.begin(kChunk)))))
      << "a part is that of the whole";
}

TEST_P(MlpEvidence, WeightedScoreIsTheGradientWithCreditsAsWeights) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, std::array<Index, 6>{1, 70, 64, 3, 5, 130}, 26);
  const auto evidence = digest(batch, {Credit::kRewardToGo, 0.9});
  const auto& steps = as<StepwiseEvidence>(*evidence);
  const std::vector<double> trajectory_weights = random_numbers(6, 1.0, 27);
  std::vector<double> weights;
  for (Index j = 0; j < 6; ++j) {
    for (Index l = 0; l < batch.length(j); ++l) {
      weights.push_back(trajectory_weights[as_size(j)] * reference::credit(batch, j, l, 0.9, Credit::kRewardToGo));
    }
  }
  std::vector<double> rows(as_size(2 * count_), kNan), second(as_size(count_), kNan);
  steps.weighted_score(theta_, weights.data(), 0, 2, rows.data());
  steps.weighted_score(theta_, weights.data() + batch.begin(kChunk), 1, 2, second.data());
  EXPECT_EQ(bits(second), bits(std::span(rows).subspan(as_size(count_)))) << "a part is that of the whole";
  const std::vector<double> expected = ask(*evidence, theta_, trajectory_weights).rows;
  double largest = 0.0;
  for (const double number : expected) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-12 * largest) << i;
}

TEST_P(MlpEvidence, ComesBackFromItsNumbers) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, ragged(6, 70, 20), 20);
  const std::vector<double> weights = random_numbers(6, 1.0, 21);
  const auto evidence = digest(batch, {Credit::kReturn, 0.9});
  const auto again = policy_->restore(behavior_, 6, evidence->numbers());
  EXPECT_EQ(again->size(), 6);
  EXPECT_EQ(bytes_of(*again), bytes_of(*evidence));
  EXPECT_EQ(bits(again->numbers()), bits(evidence->numbers()));
  const Answers a = ask(*evidence, theta_, weights), b = ask(*again, theta_, weights);
  EXPECT_EQ(bits(a.log_ratio), bits(b.log_ratio));
  EXPECT_EQ(bits(a.renyi), bits(b.renyi));
  EXPECT_EQ(bits(a.rows), bits(b.rows));
}

std::string shape_name(const testing::TestParamInfo<MlpShape>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MlpEvidence,
    testing::Values(
        MlpShape{"HalfCheetah", 17, {32, 32}, 6}, MlpShape{"Swimmer", 8, {32, 32}, 2},
        MlpShape{"CartPoleOneUnit", 4, {1}, 1},
        MlpShape{.name = "TanhAllOptions",
                 .observations = 5,
                 .hidden = {9, 4},
                 .actions = 3,
                 .bias = true,
                 .variances = true,
                 .scaled = true,
                 .scaled_actions = true},
        MlpShape{.name = "ReluBias",
                 .observations = 3,
                 .hidden = {16, 8},
                 .actions = 2,
                 .activation = Activation::kRelu,
                 .bias = true},
        MlpShape{.name = "ReluScaledActions",
                 .observations = 3,
                 .hidden = {10},
                 .actions = 9,
                 .activation = Activation::kRelu,
                 .variances = true,
                 .scaled_actions = true},
        MlpShape{.name = "IdentityBiasThreeLayers",
                 .observations = 7,
                 .hidden = {5, 8, 3},
                 .actions = 2,
                 .activation = Activation::kIdentity,
                 .bias = true},
        MlpShape{.name = "IdentityScaled",
                 .observations = 8,
                 .hidden = {8},
                 .actions = 8,
                 .activation = Activation::kIdentity,
                 .scaled = true},
        MlpShape{.name = "WholeVectorsWithBias", .observations = 7, .hidden = {7, 15}, .actions = 8, .bias = true},
        MlpShape{.name = "BiasOpensAVector", .observations = 8, .hidden = {8, 16}, .actions = 1, .bias = true},
        MlpShape{"NoHiddenLayer", 4, {}, 2},
        MlpShape{.name = "NoHiddenLayerAllOptions",
                 .observations = 8,
                 .hidden = {},
                 .actions = 9,
                 .bias = true,
                 .variances = true,
                 .scaled = true,
                 .scaled_actions = true}),
    shape_name);

}  // namespace
}  // namespace retropg::test
