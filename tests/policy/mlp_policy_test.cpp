#include "retropg/policy/mlp_gaussian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "support/credit_setting.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_close.hpp"
#include "support/expect_throw.hpp"
#include "support/mlp_evidence.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_P(MlpEvidence, PolicyHasTheSizesOfItsShape) {
  EXPECT_EQ(policy_->parameter_count(), count_);
  EXPECT_EQ(policy_->observation_size(), options_.observation_size);
  EXPECT_EQ(policy_->action_size(), options_.action_size);
  EXPECT_EQ(static_cast<Index>(policy_->initial_parameters(1).size()), count_);
}

TEST_P(MlpEvidence, MeanIsTheNetworksOutput) {
  const TrajectoryBatch batch = random_batch(options_, behavior_, std::array<Index, 1>{20}, 4);
  for (Index t = 0; t < batch.steps(); ++t) {
    std::vector<double> mean(as_size(options_.action_size), kNan);
    policy_->mean(theta_, reference::observation(batch, t), mean);
    // sums of at most 100 products of numbers of size 1, a few layers deep
    expect_close(mean, reference::mean(options_, theta_, reference::observation(batch, t)), 1e-13, "mean");
  }
}

TEST_P(MlpEvidence, ActorAddsScaledNoiseToTheMeanWhateverTheLanes) {
  constexpr Index kTrajectories = 13;
  const TrajectoryBatch batch = random_batch(options_, behavior_, std::array{kTrajectories}, 22);
  const Index actions = options_.action_size, observations = options_.observation_size;
  const std::vector<double> noise = random_numbers(kTrajectories * actions, 1.0, 23);
  for (const Index lanes : {1, 4, 8, 12, 32}) {
    const auto actor = policy_->actor(lanes, Acting::kSample);
    for (Index first = 0; first < kTrajectories; first += lanes) {
      const Index active = std::min(lanes, kTrajectories - first);
      std::vector<double> seen(as_size(observations * lanes), 0.0), normals(as_size(actions * lanes), 0.0);
      std::vector<double> acted(as_size(actions * lanes), kNan), means = acted;
      std::vector<const double*> rows;
      for (Index u = 0; u < actions; ++u) rows.push_back(normals.data() + u * lanes);
      for (Index l = 0; l < active; ++l) {
        const auto observation = reference::observation(batch, first + l);
        for (Index i = 0; i < observations; ++i) seen[as_size(i * lanes + l)] = observation[as_size(i)];
        for (Index u = 0; u < actions; ++u) normals[as_size(u * lanes + l)] = noise[as_size((first + l) * actions + u)];
      }
      actor->act(theta_, active, seen.data(), rows.data(), acted.data(), means.data());
      for (Index l = 0; l < lanes; ++l) {
        std::vector<double> mean(as_size(actions), 0.0);
        if (l < active) policy_->mean(theta_, reference::observation(batch, first + l), mean);
        for (Index u = 0; u < actions; ++u) {
          const std::size_t place = as_size(u * lanes + l);
          if (l >= active) {
            EXPECT_TRUE(std::isnan(acted[place]) && std::isnan(means[place])) << "lane " << l << " has no turn";
            continue;
          }
          const double deviation = std::sqrt(reference::variance(options_, u));
          EXPECT_EQ(acted[place], mean[as_size(u)] + deviation * normals[place]) << lanes << " lanes";
          EXPECT_EQ(means[place], mean[as_size(u)]) << lanes << " lanes: what the actor notes";
        }
      }
    }
  }
}

TEST_P(MlpEvidence, ActorFollowsTheParameters) {
  const auto actor = policy_->actor(4, Acting::kSample);
  const std::vector<double> observations(as_size(4 * options_.observation_size), 0.7), still(4, 0.0);
  const std::vector<const double*> noise(as_size(options_.action_size), still.data());
  const auto act = [&](Parameters theta) {
    std::vector<double> actions(as_size(4 * options_.action_size)), notes = actions;
    actor->act(theta, 4, observations.data(), noise.data(), actions.data(), notes.data());
    return actions;
  };
  const std::vector<double> first = act(behavior_), other = act(theta_);
  EXPECT_NE(other, first);
  EXPECT_EQ(act(behavior_), first) << "nothing stays of the parameters in between";
}

/// Where entry i of a linear policy's parameters ([action][features..., 1]) is in a network without hidden layer
/// ([action][features], then the biases).
std::size_t network_place(const LinearGaussianOptions& options, std::size_t i) {
  const auto kept = as_size(options.observation_size - std::ranges::count(options.scale, 0.0));
  const std::size_t row = kept + (options.bias ? 1 : 0), u = i / row, v = i % row;
  return v == kept ? as_size(options.action_size) * kept + u : u * kept + v;
}

TEST(MlpWithoutHiddenLayer, IsTheLinearPolicy) {
  for (const bool bias : {false, true}) {
    for (const std::string_view scaled : {"", "all", "without one"}) {
      SCOPED_TRACE(scaled);
      LinearGaussianOptions linear{.observation_size = 5, .action_size = 3, .variance = {0.3, 0.5, 0.1}, .bias = bias};
      MlpGaussianOptions network{
          .observation_size = 5, .action_size = 3, .hidden = {}, .bias = bias, .variance = linear.variance};
      if (!scaled.empty()) {
        linear.shift = network.shift = random_numbers(5, 0.5, 1);
        linear.scale = network.scale = random_numbers(5, 0.7, 2);
      }
      const TrajectoryBatch batch = random_batch(linear, random_numbers(15 + (bias ? 3 : 0), 0.5, 3), 9, 80, 5);
      const bool leaves_out = scaled == "without one";
      if (leaves_out) linear.scale[2] = network.scale[2] = 0.0;
      const Index count = 3 * (leaves_out ? 4 : 5) + (bias ? 3 : 0);
      EXPECT_EQ(mlp_gaussian(network)->parameter_count(), count);
      const std::vector<double> behavior = random_numbers(count, 0.5, 3);
      const std::vector<double> theta = sum_of(behavior, random_numbers(count, 0.2, 4));
      const auto moved = [&](const std::vector<double>& parameters) {
        std::vector<double> result(parameters.size(), kNan);
        for (std::size_t i = 0; i < result.size(); ++i) result[network_place(linear, i)] = parameters[i];
        return result;
      };
      const std::vector<double> weights = random_numbers(9, 1.0, 6);
      for (const CreditSetting& setting : kMlpCredits) {
        const Answers a = ask(*mlp_gaussian(network)->digest(moved(behavior), batch, setting.discount, setting.credit),
                              moved(theta), weights);
        for (const EvidenceKind kind : {EvidenceKind::kMoments, EvidenceKind::kSteps}) {
          linear.evidence = kind;
          const Answers b =
              ask(*linear_gaussian(linear)->digest(behavior, batch, setting.discount, setting.credit), theta, weights);
          expect_close(a.log_ratio, b.log_ratio, 1e-12, "log-ratio");
          expect_close(a.renyi, b.renyi, 1e-12, "Renyi divergence");
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

TEST(MlpPolicy, SaysWhatATrajectoryCosts) {
  const MlpGaussianOptions options{.observation_size = 17, .action_size = 6};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> theta = policy->initial_parameters(1);
  const std::vector<Index> lengths(40, 100);
  const auto evidence = policy->digest(theta, random_batch(options, theta, lengths, 1), 1.0, Credit::kRewardToGo);
  EXPECT_EQ(bytes_of(*evidence), static_cast<Index>(evidence->numbers().size() * sizeof(double)));
  EXPECT_LE(bytes_of(*evidence), 40 * policy->bytes_per_trajectory(100));
  // observation, action, behavior mean and credit, with 4 numbers of padding at most
  EXPECT_LE(policy->bytes_per_trajectory(100), 100 * (17 + 6 + 6 + 1 + 4) * 8 + 100);
  EXPECT_GT(policy->bytes_per_trajectory(100), 100 * (17 + 6 + 6 + 1) * 8);
  // the activations kept between comparison and gradient
  EXPECT_LE(policy->bytes_of_pass(40, 100), 40 * 100 * (32 + 32 + 8) * 8);
  EXPECT_GE(policy->bytes_of_pass(40, 100), 40 * 100 * (32 + 32 + 6) * 8);
  EXPECT_EQ(policy->bytes_of_pass(10'000'000, 10'000'000), 64'000'000);
}

TEST(MlpPolicy, NeverPromisesLessMemoryThanItUses) {
  const MlpGaussianOptions options{.observation_size = 1, .action_size = 1, .hidden = {1}};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> theta{0.5, 0.5};
  for (const Index length : {1, 2, 64}) {
    for (Index size = 1; size <= 9; ++size) {
      const std::vector<Index> lengths(as_size(size), length);
      const auto evidence = policy->digest(theta, random_batch(options, theta, lengths, 1), 1.0, Credit::kRewardToGo);
      EXPECT_LE(bytes_of(*evidence), size * policy->bytes_per_trajectory(length))
          << size << " of " << length << " steps";
    }
  }
}

/// The numbers of three trajectories of a small network.
struct SavedEvidence {
  SavedEvidence() {
    const auto evidence =
        policy->digest(theta, random_batch(options, theta, std::array<Index, 3>{2, 3, 4}, 1), 1.0, Credit::kRewardToGo);
    numbers.assign(evidence->numbers().begin(), evidence->numbers().end());
  }

  MlpGaussianOptions options{.observation_size = 3, .action_size = 2, .hidden = {4}};
  std::unique_ptr<Policy> policy = mlp_gaussian(options);
  std::vector<double> theta = policy->initial_parameters(1), numbers;
};

TEST(MlpPolicy, RefusesSavedEvidenceOfAnotherSize) {
  const SavedEvidence saved;
  const auto refuse = [&](Index trajectories, const std::vector<double>& numbers, const std::string& what) {
    SCOPED_TRACE(what);
    expect_throw([&] { saved.policy->restore(saved.theta, trajectories, numbers); },
                 "the size of the saved evidence does not match");
  };
  refuse(3, {saved.numbers.begin(), saved.numbers.end() - 1}, "one number short");
  refuse(2, saved.numbers, "fewer trajectories");
  refuse(4, saved.numbers, "more trajectories");
  refuse(3, {}, "nothing");
  std::vector<double> longer = saved.numbers;
  longer.push_back(0.0);
  refuse(3, longer, "one number more");
  const auto other = mlp_gaussian({.observation_size = 4, .action_size = 2, .hidden = {4}});
  expect_throw([&] { other->restore(saved.theta, 3, saved.numbers); }, "the size of the saved evidence does not match");
}

TEST(MlpPolicy, RefusesSavedTrajectoriesThatAreOutOfOrder) {
  const SavedEvidence saved;
  for (const double bad : {1e6, -3.0, 2.5, kNan}) {  // the second trajectory would begin there
    std::vector<double> numbers = saved.numbers;
    numbers[1] = bad;
    expect_throw([&] { saved.policy->restore(saved.theta, 3, numbers); }, "saved evidence");
  }
}

TEST(MlpPolicy, EvidenceIsMadeOfSteps) {
  const auto policy = mlp_gaussian({.observation_size = 3, .action_size = 2});
  EXPECT_EQ(policy->gathering(), nullptr);
  EXPECT_TRUE(policy->provides(Capability::kSteps));
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
  refuse({.variance = {}}, "policy.variance has 0 numbers; expected 1 or 2, one per action");
  refuse({.variance = {1.0, 1.0, 1.0}}, "policy.variance has 3 numbers; expected 1 or 2, one per action");
  for (const double bad : {0.0, -0.1, kNan, kInfinity}) {
    refuse({.variance = {bad}}, "policy.variance must be positive and finite");
    refuse({.variance = {1.0, bad}}, "policy.variance must be positive and finite");
  }
  const std::string both =
      "policy.shift and policy.scale must both be empty or both have 3 numbers, one per observation";
  refuse({.shift = {1.0, 1.0, 1.0}}, both);
  refuse({.scale = {1.0, 1.0, 1.0}}, both);
  refuse({.shift = {1.0, 1.0}, .scale = {1.0, 1.0}}, both);
  refuse({.shift = {1.0, kNan, 1.0}, .scale = {1.0, 1.0, 1.0}}, "policy.shift and policy.scale must be finite");
  refuse({.bias = true, .shift = {1.0, 1.0, 1.0}, .scale = {0.0, 0.0, 0.0}}, "so a network has no input");
  const std::string actions =
      "policy.action_shift and policy.action_scale must both be empty or both have 2 numbers, one per action";
  refuse({.action_shift = {1.0, 1.0}}, actions);
  refuse({.action_scale = {1.0, 1.0}}, actions);
  refuse({.action_shift = {1.0, 1.0, 1.0}, .action_scale = {1.0, 1.0, 1.0}}, actions);
  refuse({.action_shift = {1.0, 1.0}, .action_scale = {kInfinity, 1.0}},
         "policy.action_shift and policy.action_scale must be finite");
}

}  // namespace
}  // namespace retropg::test
