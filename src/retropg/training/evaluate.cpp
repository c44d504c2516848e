#include "retropg/training/evaluate.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "retropg/core/function_ref.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg {
namespace {

constexpr std::uint64_t kEvaluationSeeds = std::uint64_t{1} << 63;
constexpr double kLevel = 0.95;

/// Episodes that are collected at a time: few enough that their steps take little memory and, where somebody watches,
/// that long tasks show progress too, but some for each thread.
Index slice(Index horizon, Index watched_threads = 0) {
  constexpr Index kMost = 1024;
  if (watched_threads == 0) return std::clamp<Index>(200'000 / horizon, 64, kMost);
  return std::clamp<Index>(watched_threads * (20'000 / horizon), std::min(16 * watched_threads, kMost), kMost);
}

struct Episodes {
  std::vector<Outcome> outcomes;  // without broken ones
  Index steps = 0;                // with them, but not of a slice whose several episodes are all broken
};

using Collect = FunctionRef<Collected(Index first, Index count)>;

std::vector<double> returns_of(const std::vector<Outcome>& outcomes) {
  std::vector<double> returns;
  returns.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) returns.push_back(outcome.value);
  return returns;
}

/// Slicing does not change results, because random numbers depend only on the index of the episode.
Episodes simulated(Index episodes, Index at_a_time, Collect collect, const std::function<void(Index)>& progress = {}) {
  Episodes result;
  for (Index first = 0; first < episodes; first += at_a_time) {
    const Index count = std::min(at_a_time, episodes - first);
    const Collected collected = collect(first, count);
    for (std::size_t j = 0; j < collected.returns.size(); ++j) {
      result.outcomes.push_back({.value = collected.returns[j], .length = collected.lengths[j]});
      result.steps += collected.lengths[j];
    }
    result.steps += collected.dropped.steps;
    if (progress) progress(first + count);
  }
  return result;
}

/// The same without broken ones; a slice in which every one is broken must not cost the others.
Episodes simulated_sound(Collector& collector, Parameters theta, Index iteration, Index episodes, Index at_a_time) {
  return simulated(episodes, at_a_time, [&](Index first, Index count) -> Collected {
    try {
      return collector.collect(theta, iteration, first, count);
    } catch (const BrokenTrajectory&) {
      return {};
    }
  });
}

CollectorOptions of_the_mean(std::uint64_t seed) {
  return {.seed = seed | kEvaluationSeeds, .deterministic = true, .on_broken = OnBroken::kDrop};
}

}  // namespace

std::vector<double> evaluate(const EnvironmentDefinition& environment, const Policy& policy, Parameters theta,
                             const EvaluationOptions& options) {
  const Workers workers(options.threads);
  Collector collector(environment, policy, {.seed = options.seed, .deterministic = options.deterministic}, workers);
  const auto collect = [&](Index first, Index count) { return collector.collect(theta, 0, first, count); };
  const Index at_a_time = slice(environment.horizon, options.progress ? workers.threads() : 0);
  return returns_of(simulated(options.episodes, at_a_time, collect, options.progress).outcomes);
}

IterateEvaluation::IterateEvaluation(const EnvironmentDefinition& environment, const Policy& policy, std::uint64_t seed,
                                     Index episodes, const Workers& workers)
    : collector_(environment, policy, of_the_mean(seed), workers),
      episodes_(episodes),
      slice_(slice(environment.horizon)) {}

Evaluation IterateEvaluation::operator()(Parameters theta, Index iteration) {
  std::vector<Outcome> outcomes = simulated_sound(collector_, theta, iteration, episodes_, slice_).outcomes;
  if (outcomes.empty()) {
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
  const Episodes simulation = simulated_sound(collector, theta, 0, episodes, slice(environment.horizon));
  return {.returns = returns_of(simulation.outcomes), .steps = simulation.steps};
}

}  // namespace retropg
