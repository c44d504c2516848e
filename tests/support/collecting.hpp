#pragma once

#include <memory>
#include <vector>

#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"

namespace retropg::test {

/// An environment, a policy for it and parameters at which trajectories differ in length.
struct Problem {
  EnvironmentDefinition environment;
  LinearGaussianOptions options;
  std::vector<double> theta;

  std::unique_ptr<Policy> policy() const { return linear_gaussian(options); }
};

/// Poles that fall after 30 to 200 steps.
inline Problem cart_pole_problem() {
  return {.environment = cart_pole(),
          .options = {.observation_size = 4, .action_size = 1, .variance = {0.3}},
          .theta = {0.3, 0.5, 6.0, 1.0}};
}

/// Three actions, so that a step ends in the middle of a random block, and a simulator that draws numbers itself.
inline Problem noisy_problem() {
  return {.environment = linear_quadratic({.dynamics = {0.9, 0.2, -0.1, 0.8},
                                           .input = {0.1, 0.2, -0.3, 0.5, 0.0, 0.1},
                                           .action_cost = {1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0},
                                           .process_noise = 0.1}),
          .options = {.observation_size = 2, .action_size = 3, .variance = {0.3, 0.5, 0.1}},
          .theta = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6}};
}

/// A policy with every option on.
inline Problem scaled_problem() {
  Problem problem = cart_pole_problem();
  problem.options.bias = true;
  problem.options.shift = {0.1, -0.2, 0.01, 0.0};
  problem.options.scale = {0.5, 2.0, 3.0, 1.0};
  problem.theta = {0.1, 0.3, 2.0, 0.4, 0.05};
  return problem;
}

/// Each problem with a policy that keeps moments and with one that keeps steps.
inline std::vector<Problem> of_both_kinds(const std::vector<Problem>& problems) {
  std::vector<Problem> result;
  for (const EvidenceKind kind : {EvidenceKind::kMoments, EvidenceKind::kSteps}) {
    for (const Problem& problem : problems) result.emplace_back(problem).options.evidence = kind;
  }
  return result;
}

/// Everything that collecting gives, as bits.
struct Results {
  std::vector<std::uint64_t> returns, numbers;
  std::vector<Index> lengths;

  bool operator==(const Results&) const = default;
};

inline Results results(const Collected& collected) {
  return {
      .returns = bits(collected.returns), .numbers = bits(collected.evidence->numbers()), .lengths = collected.lengths};
}

struct Request {
  std::uint64_t seed = 1;
  Index iteration = 3, first = 0, count = 31;
  Index threads = 1, lanes = 32;
  Credit credit = Credit::kRewardToGo;
};

inline Collected collect(const Problem& problem, const Request& request) {
  const std::unique_ptr<Policy> policy = problem.policy();
  const Workers workers(request.threads);
  Collector collector(problem.environment, *policy,
                      {.seed = request.seed, .lanes = request.lanes, .credit = request.credit}, workers);
  return collector.collect(problem.theta, request.iteration, request.first, request.count);
}

inline TrajectoryBatch collect_steps(const Problem& problem, const Request& request) {
  const std::unique_ptr<Policy> policy = problem.policy();
  const Workers workers(request.threads);
  Collector collector(problem.environment, *policy, {.seed = request.seed, .lanes = request.lanes}, workers);
  return collector.collect_steps(problem.theta, request.iteration, request.first, request.count);
}

inline std::vector<std::uint64_t> bits_of(const TrajectoryBatch& batch) {
  std::vector<double> numbers = batch.observations;
  numbers.insert(numbers.end(), batch.actions.begin(), batch.actions.end());
  numbers.insert(numbers.end(), batch.rewards.begin(), batch.rewards.end());
  numbers.insert(numbers.end(), batch.first_step.begin(), batch.first_step.end());
  numbers.insert(numbers.end(), batch.final_observations.begin(), batch.final_observations.end());
  for (const Ending ending : batch.endings) numbers.push_back(ending == Ending::kTerminated ? 1.0 : 0.0);
  return bits(numbers);
}

inline StreamName stream_name(const Request& request, Purpose purpose, Index trajectory) {
  return {.seed = request.seed,
          .purpose = purpose,
          .iteration = static_cast<std::uint32_t>(request.iteration),
          .trajectory = static_cast<std::uint32_t>(trajectory)};
}

}  // namespace retropg::test
