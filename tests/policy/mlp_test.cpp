#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/network/network.hpp"
#include "retropg/policy/stepwise_evidence.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/many_threads.hpp"
#include "support/mlp_reference.hpp"
#include "support/session.hpp"
#include "support/targets.hpp"

namespace retropg {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One shape of the policy; its numbers are made up.
struct Shape {
  std::string name;
  Index observations;
  std::vector<Index> hidden;
  Index actions;
  Activation activation = Activation::kTanh;
  bool bias = false, variances = false, scaled = false, scaled_actions = false;
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.name;
}

MlpGaussianOptions options(const Shape& shape) {
  MlpGaussianOptions result{.observation_size = shape.observations,
                            .action_size = shape.actions,
                            .hidden = shape.hidden,
                            .activation = shape.activation,
                            .bias = shape.bias,
                            .variance = {0.3}};
  if (shape.variances) {
    result.variance.clear();
    for (Index u = 0; u < shape.actions; ++u) result.variance.push_back(0.1 + 0.4 * static_cast<double>(u));
  }
  if (shape.scaled) {
    result.shift = random_numbers(shape.observations, 0.5, 101);
    result.scale = random_numbers(shape.observations, 0.7, 102);
  }
  if (shape.scaled_actions) {
    result.action_shift = random_numbers(shape.actions, 0.5, 103);
    result.action_scale = random_numbers(shape.actions, 1.5, 104);
  }
  return result;
}

struct Setting {
  Credit credit;
  double discount;
};
constexpr std::array<Setting, 3> kSettings = {
    {{Credit::kRewardToGo, 1.0}, {Credit::kRewardToGo, 0.9}, {Credit::kReturn, 0.9}}};

void expect_close(std::span<const double> a, std::span<const double> b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i]))) << what << " " << i;
  }
}

// Parameters

TEST(Network, CountsItsParameters) {
  EXPECT_EQ((NetworkShape{.sizes = {17, 32, 32, 6}}).parameter_count(), 1760);  // Half Cheetah in the paper
  EXPECT_EQ((NetworkShape{.sizes = {8, 32, 32, 2}}).parameter_count(), 1344);   // Swimmer in the paper
  EXPECT_EQ((NetworkShape{.sizes = {4, 1}}).parameter_count(), 4);
  EXPECT_EQ((NetworkShape{.sizes = {4, 1}, .bias = true}).parameter_count(), 5);
  EXPECT_EQ((NetworkShape{.sizes = {2, 3, 5, 1}, .bias = true}).parameter_count(), 9 + 20 + 6);
  EXPECT_EQ(mlp_gaussian({.observation_size = 17, .action_size = 6})->parameter_count(), 1760) << "32 x 32 by default";
}

TEST(Network, OrdersParametersLayerByLayerOutputsFirst) {
  // 2 observations, 3 hidden units, 2 actions, identity: the mean is W2 W1 s, written out.
  const auto policy =
      mlp_gaussian({.observation_size = 2, .action_size = 2, .hidden = {3}, .activation = Activation::kIdentity});
  const std::vector<double> theta{1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}, s{10, 0.5};
  std::vector<double> mean(2);
  policy->mean(theta, s, mean);
  const double h0 = 1 * 10 + 2 * 0.5, h1 = 3 * 10 + 5 * 0.5, h2 = 7 * 10 + 11 * 0.5;
  EXPECT_EQ(mean, (std::vector<double>{13 * h0 + 17 * h1 + 19 * h2, 23 * h0 + 29 * h1 + 31 * h2}));
}

TEST(Network, PutsTheBiasesOfALayerAfterItsMatrix) {
  const auto policy = mlp_gaussian(
      {.observation_size = 2, .action_size = 1, .hidden = {2}, .activation = Activation::kRelu, .bias = true});
  const std::vector<double> theta{1, 2, 3, 5, 7, -1000, 11, 13, 17}, s{10, 0.5};
  std::vector<double> mean(1);
  policy->mean(theta, s, mean);
  EXPECT_EQ(mean[0], 11.0 * (1 * 10 + 2 * 0.5 + 7) + 13.0 * 0.0 + 17.0) << "the second unit is off";
}

TEST(Network, StartsWithinGlorotsBounds) {
  const NetworkShape shape{.sizes = {17, 32, 32, 6}};
  const std::vector<double> theta = xavier_uniform(shape, 3);
  ASSERT_EQ(theta.size(), 1760u);
  std::size_t next = 0;
  for (Index layer = 0; layer < 3; ++layer) {
    const double bound = std::sqrt(6.0 / static_cast<double>(shape.size(layer) + shape.size(layer + 1)));
    double largest = 0.0, smallest = 0.0, squares = 0.0;
    const Index count = shape.size(layer) * shape.size(layer + 1);
    for (Index i = 0; i < count; ++i, ++next) {
      largest = std::max(largest, theta[next]);
      smallest = std::min(smallest, theta[next]);
      squares += theta[next] * theta[next];
    }
    EXPECT_LE(largest, bound);
    EXPECT_GE(smallest, -bound);
    // All of 192 or more uniform numbers miss the outer twentieth at one end with probability 0.975^192 = 0.8 % each;
    // the seed is fixed.
    EXPECT_GT(largest, 0.95 * bound);
    EXPECT_LT(smallest, -0.95 * bound);
    // The variance is bound^2 / 3, and a mean of squares has the relative standard error sqrt(4 / 5 / count).
    const double n = static_cast<double>(count);
    EXPECT_NEAR(squares / n / (bound * bound / 3.0), 1.0, 4.0 * std::sqrt(0.8 / n));
  }
}

TEST(Network, StartsWithBiasesOfZeroAndTheSameWeightsOtherwise) {
  const std::vector<double> plain = xavier_uniform({.sizes = {3, 4, 2}}, 5);
  const std::vector<double> biased = xavier_uniform({.sizes = {3, 4, 2}, .bias = true}, 5);
  std::vector<double> expected(plain.begin(), plain.begin() + 12);
  expected.resize(16, 0.0);
  expected.insert(expected.end(), plain.begin() + 12, plain.end());
  expected.resize(26, 0.0);
  EXPECT_EQ(biased, expected);
}

TEST(Network, StartsAgainTheSameAndDifferentlyForAnotherSeed) {
  const auto policy = mlp_gaussian({.observation_size = 4, .action_size = 1});
  EXPECT_EQ(policy->initial_parameters(1), policy->initial_parameters(1));
  const std::vector<double> a = policy->initial_parameters(1), b = policy->initial_parameters(2);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NE(a[i], b[i]);
  const std::set<double> values(a.begin(), a.end());
  EXPECT_EQ(values.size(), a.size()) << "no number is drawn twice";
}

// Evidence

class MlpEvidence : public testing::TestWithParam<Shape> {
 protected:
  const MlpGaussianOptions options_ = options(GetParam());
  const std::unique_ptr<Policy> policy_ = mlp_gaussian(options_);
  const Index count_ = reference::parameter_count(options_);
  // Of the size of a Xavier start, so that tanh bends but does not saturate.
  const double spread_ = 1.0 / std::sqrt(static_cast<double>(std::max<Index>(4, options_.observation_size)));
  const std::vector<double> behavior_ = random_numbers(count_, spread_, 1);
  const std::vector<double> theta_ = sum_of(behavior_, random_numbers(count_, 0.2 * spread_, 2));

  std::unique_ptr<Evidence> digest(const TrajectoryBatch& batch,
                                   const Setting& setting = {Credit::kRewardToGo, 1.0}) const {
    return policy_->digest(behavior_, batch, setting.discount, setting.credit);
  }
};

TEST_P(MlpEvidence, PolicyHasTheSizesOfItsShape) {
  EXPECT_EQ(policy_->parameter_count(), count_);
  EXPECT_EQ(policy_->observation_size(), options_.observation_size);
  EXPECT_EQ(policy_->action_size(), options_.action_size);
  EXPECT_EQ(static_cast<Index>(policy_->initial_parameters(1).size()), count_);
}

TEST_P(MlpEvidence, MeanIsTheNetworksOutput) {
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, std::array<Index, 1>{20}, 4);
  for (Index t = 0; t < batch.steps(); ++t) {
    std::vector<double> mean(as_size(options_.action_size), kNan);
    policy_->mean(theta_, reference::observation(batch, t), mean);
    // sums of at most 100 products of numbers of size 1, a few layers deep
    expect_close(mean, reference::mean(options_, theta_, reference::observation(batch, t)), 1e-13, "mean");
  }
}

TEST_P(MlpEvidence, LogRatioIsTheDifferenceOfTheLogDensities) {
  for (Index size = 1; size <= 9; ++size) {
    const auto seed = static_cast<std::uint64_t>(size);
    const TrajectoryBatch batch = mlp_batch(options_, behavior_, ragged(size, 12, seed), seed);
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

TEST_P(MlpEvidence, DistanceIsTheSumOfSquaredShiftsOfTheMean) {
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, ragged(7, 20, 7), 7);
  const Answers answers = ask(*digest(batch), theta_, std::vector<double>(7, 1.0));
  for (Index j = 0; j < 7; ++j) {
    const double expected = reference::distance(options_, theta_, behavior_, batch, j);
    EXPECT_NEAR(answers.distance[as_size(j)], expected, 1e-12 * std::max(1.0, expected)) << j;
    EXPECT_GT(expected, 1e-6);
  }
}

TEST_P(MlpEvidence, TrajectoriesLongerThanATileAnswerAsTheirSteps) {
  const std::array<Index, 6> lengths = {64, 65, 1, 129, 63, 200};
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, lengths, 8);
  const std::vector<double> weights = random_numbers(6, 1.0, 9);
  const auto evidence = digest(batch);
  const Answers answers = ask(*evidence, theta_, weights);
  for (Index j = 0; j < 6; ++j) {
    const double expected = reference::log_likelihood(options_, theta_, batch, j) -
                            reference::log_likelihood(options_, behavior_, batch, j);
    EXPECT_NEAR(answers.log_ratio[as_size(j)], expected, 1e-10 * std::max(1.0, std::abs(expected))) << j;
    const double distance = reference::distance(options_, theta_, behavior_, batch, j);
    EXPECT_NEAR(answers.distance[as_size(j)], distance, 1e-11 * std::max(1.0, distance)) << j;
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
  const TrajectoryBatch batch = mlp_batch(options_, theta_, std::array<Index, 5>{3, 1, 2, 3, 1}, 10, 1e-3);
  const std::vector<double> weights = {0.7, -1.1, 0.4, 1.3, -0.6};
  const Index stride = std::max<Index>(1, count_ / 150);  // every parameter of a small network, some of a large one
  for (const Setting& setting : kSettings) {
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
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, ragged(6, 9, 11), 11);
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
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, std::array<Index, 6>{1, 70, 64, 3, 5, 130}, 13);
  const std::vector<double> zeros(8, 0.0), weights(6, 1.0);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const auto evidence = digest(batch);
    const Answers here = ask(*evidence, behavior_, weights);
    EXPECT_EQ(bits(here.log_ratio), bits(zeros)) << target;
    EXPECT_EQ(bits(here.distance), bits(zeros)) << target;
    std::vector<double> near = behavior_;
    near.back() += 1e-9;
    EXPECT_NE(bits(ask(*evidence, near, weights).log_ratio), bits(zeros)) << target;
  }
}

TEST_P(MlpEvidence, DoesNotDependOnTheTargetWhereItFuses) {
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, std::array<Index, 5>{1, 70, 64, 3, 5}, 14);
  const std::vector<double> weights = random_numbers(5, 1.0, 15);
  std::vector<Answers> of_targets;
  for (const std::string& target : fused_targets()) {
    const ForcedTarget forced(target);
    const auto evidence = digest(batch);
    of_targets.push_back(ask(*evidence, theta_, weights));
    const Answers &a = of_targets.back(), &b = of_targets.front();
    EXPECT_EQ(bits(a.log_ratio), bits(b.log_ratio)) << target;
    EXPECT_EQ(bits(a.distance), bits(b.distance)) << target;
    EXPECT_EQ(bits(a.rows), bits(b.rows)) << target;
  }
}

TEST_P(MlpEvidence, PaddingSaysNothing) {
  for (Index size = 1; size <= 9; ++size) {
    const auto evidence = digest(mlp_batch(options_, behavior_, ragged(size, 5, 16), 16));
    EXPECT_EQ(evidence->size(), size);
    const Answers answers = ask(*evidence, theta_, std::vector<double>(as_size(size), 1.0));
    for (std::size_t j = 0; j < answers.distance.size(); ++j) {
      const bool real = static_cast<Index>(j) < size;
      EXPECT_EQ(answers.distance[j] != 0.0, real) << j << " of " << size;
      EXPECT_EQ(answers.log_ratio[j] != 0.0, real) << j << " of " << size;
    }
  }
}

TEST_P(MlpEvidence, PartsOfTheBatchAnswerAsTheWholeDoes) {
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, ragged(14, 30, 17), 17);  // 4 chunks
  std::vector<double> weights = random_numbers(14, 1.0, 18);
  const auto evidence = digest(batch);
  const Answers whole = ask(*evidence, theta_, weights);
  weights.resize(16, 0.0);
  for (const auto& [first, last] : {std::pair<Index, Index>{0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}) {
    std::vector<double> log_ratio(as_size((last - first) * kChunk), kNan), distance = log_ratio;
    std::vector<double> rows(as_size((last - first) * count_), kNan);
    evidence->compare(theta_, first, last, log_ratio.data(), distance.data());
    evidence->weighted_gradient(theta_, weights.data() + first * kChunk, first, last, rows.data());
    const auto part = [&](const std::vector<double>& all, Index width) {
      return std::span(all).subspan(as_size(first * width), as_size((last - first) * width));
    };
    EXPECT_EQ(bits(log_ratio), bits(part(whole.log_ratio, kChunk))) << first << " to " << last;
    EXPECT_EQ(bits(distance), bits(part(whole.distance, kChunk))) << first << " to " << last;
    EXPECT_EQ(bits(rows), bits(part(whole.rows, count_))) << first << " to " << last;
  }
}

TEST_P(MlpEvidence, ATrajectoryDoesNotDependOnItsNeighbors) {
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, ragged(7, 80, 19), 19);
  const Answers together = ask(*digest(batch), theta_, std::vector<double>(7, 1.0));
  for (Index j = 0; j < batch.size(); ++j) {
    const Answers one = ask(*digest(pick(batch, std::array{j})), theta_, std::array{1.0});
    EXPECT_EQ(bits(std::span(one.log_ratio).first(1)), bits(std::span(together.log_ratio).subspan(as_size(j), 1)));
    EXPECT_EQ(bits(std::span(one.distance).first(1)), bits(std::span(together.distance).subspan(as_size(j), 1)));
  }
}

TEST_P(MlpEvidence, StepSquaresGiveTheLogRatiosOfTheDensities) {
  const std::array<Index, 6> lengths = {1, 70, 64, 3, 5, 130};
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, lengths, 24);
  const auto evidence = digest(batch);
  const auto& steps = dynamic_cast<const StepwiseEvidence&>(*evidence);
  EXPECT_EQ(steps.first_step(0), 0);
  EXPECT_EQ(steps.first_step(3), 135);
  EXPECT_EQ(steps.first_step(6), batch.steps());
  const std::vector<double> other = sum_of(theta_, random_numbers(count_, 0.1 * spread_, 25));
  std::vector<double> squares(as_size(batch.steps()), kNan), other_squares(squares);
  steps.step_squares(theta_, 0, 2, squares.data());
  steps.step_squares(other, 0, 2, other_squares.data());
  for (Index t = 0; t < batch.steps(); ++t) {
    const auto density = [&](Parameters theta) {
      return reference::log_density(options_, theta, reference::observation(batch, t), reference::action(batch, t));
    };
    const double expected = density(theta_) - density(other);
    ASSERT_NEAR(0.5 * (other_squares[as_size(t)] - squares[as_size(t)]), expected,
                1e-11 * std::max(1.0, std::abs(expected)))
        << "step " << t;
  }
  std::vector<double> second(as_size(batch.steps() - batch.begin(kChunk)), kNan);
  steps.step_squares(theta_, 1, 2, second.data());
  EXPECT_EQ(bits(second), bits(std::span(squares).subspan(as_size(batch.begin(kChunk)))))
      << "a part is that of the whole";
}

TEST_P(MlpEvidence, WeightedScoreIsTheGradientWithCreditsAsWeights) {
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, std::array<Index, 6>{1, 70, 64, 3, 5, 130}, 26);
  const auto evidence = digest(batch, {Credit::kRewardToGo, 0.9});
  const auto& steps = dynamic_cast<const StepwiseEvidence&>(*evidence);
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
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, ragged(6, 70, 20), 20);
  const std::vector<double> weights = random_numbers(6, 1.0, 21);
  const auto evidence = digest(batch, {Credit::kReturn, 0.9});
  const auto again = policy_->restore(behavior_, 6, evidence->numbers());
  EXPECT_EQ(again->size(), 6);
  EXPECT_EQ(again->bytes(), evidence->bytes());
  EXPECT_EQ(bits(again->numbers()), bits(evidence->numbers()));
  const Answers a = ask(*evidence, theta_, weights), b = ask(*again, theta_, weights);
  EXPECT_EQ(bits(a.log_ratio), bits(b.log_ratio));
  EXPECT_EQ(bits(a.distance), bits(b.distance));
  EXPECT_EQ(bits(a.rows), bits(b.rows));
}

TEST_P(MlpEvidence, ActorAddsScaledNoiseToTheMeanWhateverTheLanes) {
  constexpr Index kTrajectories = 13;
  const TrajectoryBatch batch = mlp_batch(options_, behavior_, std::array{kTrajectories}, 22);
  const Index actions = options_.action_size, observations = options_.observation_size;
  const std::vector<double> noise = random_numbers(kTrajectories * actions, 1.0, 23);
  for (const Index lanes : {1, 4, 8, 12, 32}) {
    const auto actor = policy_->actor(lanes);
    for (Index first = 0; first < kTrajectories; first += lanes) {
      const Index active = std::min(lanes, kTrajectories - first);
      std::vector<double> seen(as_size(observations * lanes), 0.0), normals(as_size(actions * lanes), 0.0);
      std::vector<double> acted(as_size(actions * lanes), kNan), residuals = acted;
      std::vector<const double*> rows;
      for (Index u = 0; u < actions; ++u) rows.push_back(normals.data() + u * lanes);
      for (Index l = 0; l < active; ++l) {
        const auto observation = reference::observation(batch, first + l);
        for (Index i = 0; i < observations; ++i) seen[as_size(i * lanes + l)] = observation[as_size(i)];
        for (Index u = 0; u < actions; ++u) normals[as_size(u * lanes + l)] = noise[as_size((first + l) * actions + u)];
      }
      actor->act(theta_, active, seen.data(), rows.data(), acted.data(), residuals.data());
      for (Index l = 0; l < lanes; ++l) {
        std::vector<double> mean(as_size(actions), 0.0);
        if (l < active) policy_->mean(theta_, reference::observation(batch, first + l), mean);
        for (Index u = 0; u < actions; ++u) {
          const std::size_t place = as_size(u * lanes + l);
          if (l >= active) {
            EXPECT_TRUE(std::isnan(acted[place]) && std::isnan(residuals[place])) << "lane " << l << " has no turn";
            continue;
          }
          const double deviation = std::sqrt(reference::variance(options_, u));
          EXPECT_EQ(acted[place], mean[as_size(u)] + deviation * normals[place]) << lanes << " lanes";
          EXPECT_EQ(residuals[place], acted[place] - mean[as_size(u)]) << lanes << " lanes";
        }
      }
    }
  }
}

TEST_P(MlpEvidence, ActorFollowsTheParameters) {
  const auto actor = policy_->actor(4);
  const std::vector<double> observations(as_size(4 * options_.observation_size), 0.7), still(4, 0.0);
  const std::vector<const double*> noise(as_size(options_.action_size), still.data());
  const auto act = [&](Parameters theta) {
    std::vector<double> actions(as_size(4 * options_.action_size)), residuals = actions;
    actor->act(theta, 4, observations.data(), noise.data(), actions.data(), residuals.data());
    return actions;
  };
  const std::vector<double> first = act(behavior_), other = act(theta_);
  EXPECT_NE(other, first);
  EXPECT_EQ(act(behavior_), first) << "nothing stays of the parameters in between";
}

std::string shape_name(const testing::TestParamInfo<Shape>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MlpEvidence,
    testing::Values(
        Shape{"HalfCheetah", 17, {32, 32}, 6}, Shape{"Swimmer", 8, {32, 32}, 2}, Shape{"CartPoleOneUnit", 4, {1}, 1},
        Shape{.name = "TanhAllOptions",
              .observations = 5,
              .hidden = {9, 4},
              .actions = 3,
              .bias = true,
              .variances = true,
              .scaled = true,
              .scaled_actions = true},
        Shape{.name = "ReluBias",
              .observations = 3,
              .hidden = {16, 8},
              .actions = 2,
              .activation = Activation::kRelu,
              .bias = true},
        Shape{.name = "ReluScaledActions",
              .observations = 3,
              .hidden = {10},
              .actions = 9,
              .activation = Activation::kRelu,
              .variances = true,
              .scaled_actions = true},
        Shape{.name = "IdentityBiasThreeLayers",
              .observations = 7,
              .hidden = {5, 8, 3},
              .actions = 2,
              .activation = Activation::kIdentity,
              .bias = true},
        Shape{.name = "IdentityScaled",
              .observations = 8,
              .hidden = {8},
              .actions = 8,
              .activation = Activation::kIdentity,
              .scaled = true},
        Shape{.name = "WholeVectorsWithBias", .observations = 7, .hidden = {7, 15}, .actions = 8, .bias = true},
        Shape{.name = "BiasOpensAVector", .observations = 8, .hidden = {8, 16}, .actions = 1, .bias = true},
        Shape{"NoHiddenLayer", 4, {}, 2},
        Shape{.name = "NoHiddenLayerAllOptions",
              .observations = 8,
              .hidden = {},
              .actions = 9,
              .bias = true,
              .variances = true,
              .scaled = true,
              .scaled_actions = true}),
    shape_name);

// Against the linear policy

/// Where entry i of a linear policy's parameters ([action][features..., 1]) is in a network without hidden layer
/// ([action][features], then the biases).
std::size_t network_place(const LinearGaussianOptions& options, std::size_t i) {
  const auto observations = as_size(options.observation_size);
  const std::size_t row = observations + (options.bias ? 1 : 0), u = i / row, v = i % row;
  return v == observations ? as_size(options.action_size) * observations + u : u * observations + v;
}

TEST(MlpWithoutHiddenLayer, IsTheLinearPolicy) {
  for (const bool bias : {false, true}) {
    for (const bool scaled : {false, true}) {
      LinearGaussianOptions linear{.observation_size = 5, .action_size = 3, .variance = {0.3, 0.5, 0.1}, .bias = bias};
      MlpGaussianOptions network{
          .observation_size = 5, .action_size = 3, .hidden = {}, .bias = bias, .variance = linear.variance};
      if (scaled) {
        linear.shift = network.shift = random_numbers(5, 0.5, 1);
        linear.scale = network.scale = random_numbers(5, 0.7, 2);
      }
      const Index count = 15 + (bias ? 3 : 0);
      const std::vector<double> behavior = random_numbers(count, 0.5, 3);
      const std::vector<double> theta = sum_of(behavior, random_numbers(count, 0.2, 4));
      const auto moved = [&](const std::vector<double>& parameters) {
        std::vector<double> result(parameters.size(), kNan);
        for (std::size_t i = 0; i < result.size(); ++i) result[network_place(linear, i)] = parameters[i];
        return result;
      };
      const TrajectoryBatch batch = random_batch(linear, behavior, 9, 80, 5);
      const std::vector<double> weights = random_numbers(9, 1.0, 6);
      for (const Setting& setting : kSettings) {
        const Answers a = ask(*mlp_gaussian(network)->digest(moved(behavior), batch, setting.discount, setting.credit),
                              moved(theta), weights);
        for (const EvidenceKind kind : {EvidenceKind::kMoments, EvidenceKind::kSteps}) {
          linear.evidence = kind;
          const Answers b =
              ask(*linear_gaussian(linear)->digest(behavior, batch, setting.discount, setting.credit), theta, weights);
          expect_close(a.log_ratio, b.log_ratio, 1e-12, "log-ratio");
          expect_close(a.distance, b.distance, 1e-12, "distance");
          // relative to the largest entry: an entry is a sum of terms of both signs
          double largest = 0.0;
          for (const double number : b.rows) largest = std::max(largest, std::abs(number));
          ASSERT_EQ(a.rows.size(), b.rows.size());
          for (std::size_t i = 0; i < b.rows.size(); ++i) {
            const std::size_t row = i / as_size(count) * as_size(count);
            EXPECT_NEAR(a.rows[row + network_place(linear, i - row)], b.rows[i], 1e-12 * largest) << i;
          }
        }
      }
    }
  }
}

// Sizes and errors

TEST(MlpPolicy, SaysWhatATrajectoryCosts) {
  const MlpGaussianOptions options{.observation_size = 17, .action_size = 6};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> theta = policy->initial_parameters(1);
  const std::vector<Index> lengths(40, 100);
  const auto evidence = policy->digest(theta, mlp_batch(options, theta, lengths, 1), 1.0, Credit::kRewardToGo);
  EXPECT_EQ(evidence->bytes(), static_cast<Index>(evidence->numbers().size() * sizeof(double)));
  EXPECT_LE(evidence->bytes(), 40 * policy->bytes_per_trajectory(100));
  // observation, action, behavior mean and credit, with 4 numbers of padding at most, and the activations kept between
  // comparison and gradient
  EXPECT_LE(policy->bytes_per_trajectory(100), 100 * (17 + 6 + 6 + 1 + 4 + 32 + 32 + 8) * 8 + 100);
  EXPECT_GT(policy->bytes_per_trajectory(100), 100 * (17 + 6 + 6 + 1 + 32 + 32 + 6) * 8);
}

TEST(MlpPolicy, NeverPromisesLessMemoryThanItUses) {
  const MlpGaussianOptions options{.observation_size = 1, .action_size = 1, .hidden = {1}};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> theta{0.5, 0.5};
  for (const Index length : {1, 2, 64}) {
    for (Index size = 1; size <= 9; ++size) {
      const std::vector<Index> lengths(as_size(size), length);
      const auto evidence = policy->digest(theta, mlp_batch(options, theta, lengths, 1), 1.0, Credit::kRewardToGo);
      EXPECT_LE(evidence->bytes(), size * policy->bytes_per_trajectory(length)) << size << " of " << length << " steps";
    }
  }
}

TEST(MlpPolicy, RefusesSavedEvidenceOfAnotherSize) {
  const MlpGaussianOptions options{.observation_size = 3, .action_size = 2, .hidden = {4}};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> theta = policy->initial_parameters(1);
  const auto evidence =
      policy->digest(theta, mlp_batch(options, theta, std::array<Index, 3>{2, 3, 4}, 1), 1.0, Credit::kRewardToGo);
  const std::vector<double> numbers(evidence->numbers().begin(), evidence->numbers().end());
  const auto refuse = [&](Index trajectories, std::vector<double> saved, const std::string& what) {
    SCOPED_TRACE(what);
    expect_throw([&] { policy->restore(theta, trajectories, saved); }, "saved evidence has another size");
  };
  refuse(3, {numbers.begin(), numbers.end() - 1}, "one number short");
  refuse(2, numbers, "fewer trajectories");
  refuse(4, numbers, "more trajectories");
  refuse(3, {}, "nothing");
  std::vector<double> longer = numbers;
  longer.push_back(0.0);
  refuse(3, longer, "one number more");
  const auto other = mlp_gaussian({.observation_size = 4, .action_size = 2, .hidden = {4}});
  expect_throw([&] { other->restore(theta, 3, numbers); }, "saved evidence has another size");
}

TEST(MlpPolicy, RefusesSavedTrajectoriesThatAreOutOfOrder) {
  const MlpGaussianOptions options{.observation_size = 3, .action_size = 2, .hidden = {4}};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> theta = policy->initial_parameters(1);
  const auto evidence =
      policy->digest(theta, mlp_batch(options, theta, std::array<Index, 3>{2, 3, 4}, 1), 1.0, Credit::kRewardToGo);
  const std::vector<double> numbers(evidence->numbers().begin(), evidence->numbers().end());
  for (const double bad : {1e6, -3.0, 2.5, kNan}) {  // the second trajectory would begin there
    std::vector<double> saved = numbers;
    saved[1] = bad;
    expect_throw([&] { policy->restore(theta, 3, saved); }, "saved evidence");
  }
}

TEST(MlpPolicy, EvidenceIsMadeOfSteps) {
  const auto policy = mlp_gaussian({.observation_size = 3, .action_size = 2});
  EXPECT_EQ(policy->gatherer(8, Credit::kRewardToGo), nullptr);
  expect_throw([&] { policy->evidence(policy->initial_parameters(1), 4); }, "digest");
}

TEST(MlpPolicy, RefusesBadOptionsInOneClearLine) {
  const auto refuse = [](MlpGaussianOptions options, const std::string& text) {
    if (options.observation_size == 0) options.observation_size = 3;
    if (options.action_size == 0) options.action_size = 2;
    expect_throw([&] { mlp_gaussian(options); }, text);
  };
  expect_throw([] { mlp_gaussian({.observation_size = 0, .action_size = 1}); }, "1 to 1000000 observations");
  expect_throw([] { mlp_gaussian({.observation_size = 1, .action_size = 0}); }, "1 to 1000000 observations");
  refuse({.hidden = {32, 0}}, "policy.hidden must hold sizes from 1 to 65536, not 0");
  refuse({.hidden = {-1}}, "policy.hidden must hold sizes from 1 to 65536, not -1");
  refuse({.hidden = {65537}}, "policy.hidden must hold sizes from 1 to 65536, not 65537");
  refuse({.variance = {}}, "policy.variance has 0 numbers; expected 1 or 2, one an action");
  refuse({.variance = {1.0, 1.0, 1.0}}, "policy.variance has 3 numbers; expected 1 or 2, one an action");
  for (const double bad : {0.0, -0.1, kNan, kInfinity}) {
    refuse({.variance = {bad}}, "policy.variance must be positive and finite");
    refuse({.variance = {1.0, bad}}, "policy.variance must be positive and finite");
  }
  const std::string both =
      "policy.shift and policy.scale must both be empty or both have 3 numbers, one an observation";
  refuse({.shift = {1.0, 1.0, 1.0}}, both);
  refuse({.scale = {1.0, 1.0, 1.0}}, both);
  refuse({.shift = {1.0, 1.0}, .scale = {1.0, 1.0}}, both);
  refuse({.shift = {1.0, kNan, 1.0}, .scale = {1.0, 1.0, 1.0}}, "policy.shift and policy.scale must be finite");
  const std::string actions =
      "policy.action_shift and policy.action_scale must both be empty or both have 2 numbers, one an action";
  refuse({.action_shift = {1.0, 1.0}}, actions);
  refuse({.action_scale = {1.0, 1.0}}, actions);
  refuse({.action_shift = {1.0, 1.0, 1.0}, .action_scale = {1.0, 1.0, 1.0}}, actions);
  refuse({.action_shift = {1.0, 1.0}, .action_scale = {kInfinity, 1.0}},
         "policy.action_shift and policy.action_scale must be finite");
}

// In the pipeline

/// Poles that fall after different times under a small network with everything on.
struct CartPoleNetwork {
  MlpGaussianOptions options{.observation_size = 4,
                             .action_size = 1,
                             .hidden = {8, 5},
                             .bias = true,
                             .variance = {0.3},
                             .shift = {0.0, 0.1, 0.0, -0.1},
                             .scale = {1.0, 0.5, 4.0, 0.5},
                             .action_shift = {0.1},
                             .action_scale = {5.0}};
  std::unique_ptr<Policy> policy = mlp_gaussian(options);
  std::vector<double> theta = policy->initial_parameters(1);
};

TEST(MlpCollector, DigestsTheStepsItSimulates) {
  const CartPoleNetwork network;
  const Workers workers;
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    Collector collector(cart_pole(), *network.policy, {.seed = 3, .lanes = 8, .credit = credit}, workers);
    const TrajectoryBatch batch = collector.collect_steps(network.theta, 1, 0, 21);
    const Collected collected = collector.collect(network.theta, 1, 0, 21);
    const auto digested = network.policy->digest(network.theta, batch, cart_pole().discount, credit);
    EXPECT_EQ(bits(collected.evidence->numbers()), bits(digested->numbers()));
    std::set<Index> lengths(collected.lengths.begin(), collected.lengths.end());
    EXPECT_GT(lengths.size(), 5u) << "trajectories should differ in length for this test";
    std::vector<double> mean(1);
    for (Index t = 0; t < batch.steps(); ++t) {  // actions are normal about the mean: six deviations, never more
      network.policy->mean(network.theta, reference::observation(batch, t), mean);
      EXPECT_LT(std::abs(reference::action(batch, t)[0] - mean[0]), 6.0 * std::sqrt(0.3));
    }
  }
}

TEST(MlpThreads, AndLanesGiveTheSameBitsOfABatch) {
  const ManyThreads many;
  const CartPoleNetwork network;
  const std::vector<double> elsewhere =
      sum_of(network.theta, random_numbers(network.policy->parameter_count(), 0.1, 1));
  const std::vector<double> weights = random_numbers(23, 1.0, 2);
  const auto collect = [&](Index threads, Index lanes) {
    const Workers workers(threads);
    Collector collector(cart_pole(), *network.policy, {.seed = 5, .lanes = lanes}, workers);
    return collector.collect(network.theta, 1, 0, 23);
  };
  const Collected expected = collect(1, 4);
  for (const Index threads : {1, 2, 3, 8}) {
    for (const Index lanes : {4, 8, 12, 32, 64}) {
      const Collected got = collect(threads, lanes);
      EXPECT_EQ(bits(got.returns), bits(expected.returns)) << threads << " threads, " << lanes << " lanes";
      EXPECT_EQ(got.lengths, expected.lengths) << threads << " threads, " << lanes << " lanes";
      EXPECT_EQ(bits(got.evidence->numbers()), bits(expected.evidence->numbers()))
          << threads << " threads, " << lanes << " lanes";
    }
  }
}

TEST(MlpThreads, GiveTheSameBitsOfAGradient) {
  const ManyThreads many;
  const MlpGaussianOptions options{.observation_size = 17, .action_size = 6};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> behavior = policy->initial_parameters(1), theta = policy->initial_parameters(2);
  const auto evidence =
      policy->digest(behavior, mlp_batch(options, behavior, ragged(61, 90, 3), 3), 1.0, Credit::kRewardToGo);
  const Index chunks = chunk_count(61), count = policy->parameter_count();
  std::vector<double> weights = random_numbers(61, 1.0, 4);
  weights.resize(as_size(chunks * kChunk), 0.0);
  std::vector<std::uint64_t> expected;
  for (const Index threads : {1, 2, 3, 8}) {
    const Workers workers(threads);
    const OrderedSum sum(workers);
    std::vector<double> gradient(as_size(count));
    sum.total(
        chunks, count,
        [&](Index first, Index last, double* rows) {
          evidence->weighted_gradient(theta, weights.data() + first * kChunk, first, last, rows);
        },
        gradient, evidence->grain());
    if (expected.empty()) expected = bits(gradient);
    EXPECT_EQ(bits(gradient), expected) << threads << " threads";
    EXPECT_TRUE(all_finite(gradient));
  }
}

/// A short training of a network on Cart Pole: every number of every record, and the parameters at the end.
std::vector<std::uint64_t> trained(const std::string& algorithm, const std::vector<std::string>& more) {
  std::vector<std::string> settings{"policy.kind=mlp-gaussian", "policy.hidden=[8, 8]", "algo.batch=7", "algo.window=3",
                                    "algo.name=" + algorithm};
  settings.insert(settings.end(), more.begin(), more.end());
  Session session(configured(settings));
  const std::vector<double> start(session.trainer.parameters().begin(), session.trainer.parameters().end());
  std::vector<std::uint64_t> result;
  for (int k = 0; k < 5; ++k) {
    const IterationRecord record = session.iterate();
    EXPECT_TRUE(std::isfinite(record.return_mean) && std::isfinite(record.gradient_norm)) << algorithm;
    EXPECT_GT(record.gradient_norm, 0.0) << algorithm;
    EXPECT_EQ(record.skipped, 0) << algorithm;
    const std::vector<std::uint64_t> numbers = bits(record);
    result.insert(result.end(), numbers.begin(), numbers.end());
  }
  EXPECT_TRUE(all_finite(session.trainer.parameters())) << algorithm;
  for (std::size_t i = 0; i < start.size(); ++i) {
    EXPECT_NE(session.trainer.parameters()[i], start[i]) << algorithm << ", parameter " << i << " has not moved";
  }
  const std::vector<std::uint64_t> parameters = bits(session.trainer.parameters());
  result.insert(result.end(), parameters.begin(), parameters.end());
  return result;
}

TEST(MlpTrainingThreads, DoNotChangeABitOfAnyAlgorithm) {
  const ManyThreads many;
  std::set<std::string> names;
  for (const EstimatorEntry& algorithm : algorithms()) {
    SCOPED_TRACE(algorithm.name);
    names.insert(algorithm.name);
    const std::vector<std::uint64_t> expected = trained(algorithm.name, {"train.threads=1"});
    EXPECT_EQ(trained(algorithm.name, {"train.threads=2"}), expected);
    EXPECT_EQ(trained(algorithm.name, {"train.threads=3"}), expected);
    EXPECT_EQ(trained(algorithm.name, {"train.threads=2", "train.lanes=4"}), expected);
    EXPECT_NE(trained(algorithm.name, {"train.threads=1", "train.seed=2"}), expected);
  }
  EXPECT_TRUE(names.contains("rpg") && names.contains("bh-pg") && names.contains("reinforce"));
}

TEST(MlpTraining, ContinuesFromItsSavedState) {
  for (const std::string algorithm : {"rpg", "bh-pg"}) {
    const Configuration configuration =
        configured({"policy.kind=mlp", "policy.hidden=[8]", "algo.window=3", "algo.name=" + algorithm});
    Session whole(configuration), resumed(configuration);
    for (int k = 0; k < 4; ++k) whole.iterate();
    Archive saved(Archive::Mode::kSave);
    whole.trainer.state(saved);
    Archive restored(saved.entries());
    resumed.trainer.state(restored);
    for (int k = 0; k < 4; ++k) ASSERT_EQ(bits(resumed.iterate()), bits(whole.iterate())) << algorithm;
    EXPECT_EQ(bits(resumed.trainer.parameters()), bits(whole.trainer.parameters())) << algorithm;
  }
}

TEST(MlpTraining, WindowOfOneIsGpomdp) {
  // The records differ in what they say of weights; the parameters must not.
  const auto parameters = [](const std::string& algorithm) {
    Session session(configured({"policy.kind=mlp", "policy.hidden=[8]", "algo.window=1", "algo.name=" + algorithm}));
    for (int k = 0; k < 3; ++k) session.iterate();
    return std::vector<double>(session.trainer.parameters().begin(), session.trainer.parameters().end());
  };
  const std::vector<double> expected = parameters("gpomdp");
  for (const std::string algorithm : {"rpg", "miw-pg", "bh-pg"}) {
    expect_close(parameters(algorithm), expected, 1e-12, algorithm);
  }
  EXPECT_GT(std::abs(parameters("reinforce")[0] - expected[0]), 1e-6);
}

}  // namespace
}  // namespace retropg
