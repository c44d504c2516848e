#include "retropg/training/evaluate.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

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

/// Slicing does not change results, because random numbers depend only on the index of the episode.
FinalEpisodes simulated(Collector& collector, Parameters theta, Index iteration, Index episodes, Index at_a_time,
                        const std::function<void(Index)>& progress = {}) {
  FinalEpisodes result;
  for (Index first = 0; first < episodes; first += at_a_time) {
    const Index count = std::min(at_a_time, episodes - first);
    const Collected collected = collector.collect(theta, iteration, first, count);
    result.returns.insert(result.returns.end(), collected.returns.begin(), collected.returns.end());
    result.steps =
        std::accumulate(collected.lengths.begin(), collected.lengths.end(), result.steps) + collected.dropped.steps;
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
  return simulated(collector, theta, 0, options.episodes, slice(environment.horizon), options.progress).returns;
}

IterateEvaluation::IterateEvaluation(const EnvironmentDefinition& environment, const Policy& policy, std::uint64_t seed,
                                     Index episodes, const Workers& workers)
    : collector_(environment, policy, of_the_mean(seed), workers),
      episodes_(episodes),
      slice_(slice(environment.horizon)) {}

Evaluation IterateEvaluation::operator()(Parameters theta, Index iteration) {
  std::vector<double> returns;
  try {
    returns = simulated(collector_, theta, iteration, episodes_, slice_).returns;
  } catch (const BrokenTrajectory&) {  // every one was
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {.mean = nan, .half_width = nan, .episodes = 0};
  }
  const MeanEstimate estimate = mean_estimate(returns, kLevel);
  return {.mean = estimate.mean, .half_width = estimate.student_t, .episodes = as_index(returns.size())};
}

FinalEpisodes final_episodes(const EnvironmentDefinition& environment, const Policy& policy, Parameters theta,
                             std::uint64_t seed, Index episodes, const Workers& workers) {
  Collector collector(environment, policy, of_the_mean(seed), workers);
  try {
    return simulated(collector, theta, 0, episodes, slice(environment.horizon));
  } catch (const BrokenTrajectory&) {  // every one was
    return {};
  }
}

}  // namespace retropg
