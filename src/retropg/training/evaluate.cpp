#include "retropg/training/evaluate.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "retropg/statistics/statistics.hpp"

namespace retropg {
namespace {

constexpr std::uint64_t kEvaluationSeeds = std::uint64_t{1} << 63;
constexpr double kLevel = 0.95;

/// Episodes that are collected at a time: few enough that their steps take little memory and progress is seen.
Index slice(Index horizon) {
  constexpr Index kSteps = 200'000, kFewest = 64, kMost = 1024;
  return std::clamp(kSteps / horizon, kFewest, kMost);
}

struct Episodes {
  std::vector<Outcome> outcomes;  // without broken ones
  Index steps = 0;                // with them
};

std::vector<double> returns_of(const std::vector<Outcome>& outcomes) {
  std::vector<double> returns;
  returns.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) returns.push_back(outcome.value);
  return returns;
}

/// Slicing does not change results, because random numbers depend only on the index of the episode.
Episodes simulated(Collector& collector, Parameters theta, Index iteration, Index episodes, Index at_a_time,
                   const std::function<void(Index)>& progress = {}) {
  Episodes result;
  for (Index first = 0; first < episodes; first += at_a_time) {
    const Index count = std::min(at_a_time, episodes - first);
    const Collected collected = collector.collect(theta, iteration, first, count);
    for (std::size_t j = 0; j < collected.returns.size(); ++j) {
      result.outcomes.push_back({.value = collected.returns[j], .length = collected.lengths[j]});
      result.steps += collected.lengths[j];
    }
    result.steps += collected.dropped.steps;
    if (progress) progress(first + count);
  }
  return result;
}

CollectorOptions of_the_mean(std::uint64_t seed) {
  return {.seed = seed | kEvaluationSeeds, .deterministic = true, .on_broken = OnBroken::kDrop};
}

}  // namespace

std::vector<double> evaluate(const EnvironmentDefinition& environment, const Policy& policy, Parameters theta,
                             const EvaluationOptions& options) {
  const Workers workers(options.threads);
  Collector collector(environment, policy, {.seed = options.seed, .deterministic = options.deterministic}, workers);
  return returns_of(
      simulated(collector, theta, 0, options.episodes, slice(environment.horizon), options.progress).outcomes);
}

IterateEvaluation::IterateEvaluation(const EnvironmentDefinition& environment, const Policy& policy, std::uint64_t seed,
                                     Index episodes, const Workers& workers)
    : collector_(environment, policy, of_the_mean(seed), workers),
      episodes_(episodes),
      slice_(slice(environment.horizon)) {}

Evaluation IterateEvaluation::operator()(Parameters theta, Index iteration) {
  std::vector<Outcome> outcomes;
  try {
    outcomes = simulated(collector_, theta, iteration, episodes_, slice_).outcomes;
  } catch (const BrokenTrajectory&) {  // every one was
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {.mean = nan, .half_width = nan, .episodes = 0};
  }
  const MeanEstimate estimate = mean_estimate(returns_of(outcomes), kLevel);
  const Index episodes = as_index(outcomes.size());
  return {
      .mean = estimate.mean, .half_width = estimate.student_t, .episodes = episodes, .outcomes = std::move(outcomes)};
}

FinalEpisodes final_episodes(const EnvironmentDefinition& environment, const Policy& policy, Parameters theta,
                             std::uint64_t seed, Index episodes, const Workers& workers) {
  Collector collector(environment, policy, of_the_mean(seed), workers);
  try {
    const Episodes simulation = simulated(collector, theta, 0, episodes, slice(environment.horizon));
    return {.returns = returns_of(simulation.outcomes), .steps = simulation.steps};
  } catch (const BrokenTrajectory&) {  // every one was
    return {};
  }
}

}  // namespace retropg
