#include "retropg/experiment/aggregate.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr Index kThresholds = 200;  // intervals between them
// Beyond these, scores are so bad or so good that the profile would show little else.
constexpr double kLowestThreshold = -1.0, kHighestThreshold = 2.0;

/// From 0 to 1, or farther if there are scores outside.
std::vector<double> thresholds(std::span<const AggregateArm> arms) {
  double low = 0.0, high = 1.0;
  for (const AggregateArm& arm : arms) {
    for (const auto& scores : arm.scores) {
      low = std::min(low, std::ranges::min(scores));
      high = std::max(high, std::ranges::max(scores));
    }
  }
  low = std::max(low, kLowestThreshold);
  high = std::min(high, kHighestThreshold);
  std::vector<double> result;
  for (Index k = 0; k <= kThresholds; ++k) {
    result.push_back(low + (high - low) * static_cast<double>(k) / static_cast<double>(kThresholds));
  }
  return result;
}

/// Arms that every comparison has, with their scores; the labels of the others go to `left_out`.
std::vector<AggregateArm> common_arms(std::span<const Comparison> comparisons,
                                      std::span<const ReferenceReturns> returns, std::vector<std::string>& left_out) {
  std::vector<AggregateArm> arms;
  for (const Comparison& comparison : comparisons) {
    for (const ComparedArm& arm : comparison.arms) {
      const auto lacks_it = [&](const Comparison& other) { return other.find(arm.label) == nullptr; };
      const bool known = std::ranges::find(arms, arm.label, &AggregateArm::label) != arms.end() ||
                         std::ranges::find(left_out, arm.label) != left_out.end();
      if (known) continue;
      if (std::ranges::any_of(comparisons, lacks_it)) {
        left_out.push_back(arm.label);
        continue;
      }
      AggregateArm common{.label = arm.label, .algorithm = arm.configuration.algo.name, .scores = {}};
      for (std::size_t task = 0; task < comparisons.size(); ++task) {
        common.scores.push_back(
            normalized(areas(*comparisons[task].find(arm.label)), returns[task].random, returns[task].best));
      }
      arms.push_back(std::move(common));
    }
  }
  return arms;
}

}  // namespace

std::vector<std::size_t> Aggregate::order() const {
  std::vector<std::size_t> result(arms.size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  std::ranges::stable_sort(result, std::greater{}, [&](std::size_t i) { return arms[i].interquartile_mean; });
  return result;
}

const AggregatePair& Aggregate::pair(std::size_t candidate, std::size_t compared_with) const {
  const auto found = std::ranges::find_if(
      pairs, [&](const AggregatePair& pair) { return pair.candidate == candidate && pair.reference == compared_with; });
  require(found != pairs.end(), "there is no such pair of arms");
  return *found;
}

Aggregate aggregate(std::span<const Comparison> comparisons, std::span<const ReferenceReturns> returns) {
  require(!comparisons.empty() && comparisons.size() == returns.size(),
          "an aggregate needs reference returns for every comparison");
  Aggregate result;
  result.arms = common_arms(comparisons, returns, result.left_out);
  require(!result.arms.empty(), "no arm is part of every comparison");
  const Comparison& first = comparisons.front();
  const std::string& reference = first.arms[first.arms.front().reference].label;
  const auto found = std::ranges::find(result.arms, reference, &AggregateArm::label);
  result.reference = found == result.arms.end() ? 0 : as_size(found - result.arms.begin());

  const Bootstrap bootstrap{.seed = first.plan.first_seed};
  const std::vector<double> grid = thresholds(result.arms);
  for (std::size_t i = 0; i < result.arms.size(); ++i) {
    AggregateArm& arm = result.arms[i];
    arm.interquartile_mean = aggregate_interquartile_mean(arm.scores);
    arm.interval = interquartile_mean_interval(arm.scores, as_index(i), bootstrap);
    arm.profile = performance_profile(arm.scores, grid, as_index(i), bootstrap);
    for (std::size_t j = 0; j < result.arms.size(); ++j) {
      if (i == j) continue;
      const auto& other = result.arms[j].scores;
      result.pairs.push_back(
          {.candidate = i,
           .reference = j,
           .probability = probability_of_improvement(arm.scores, other),
           .interval = improvement_interval(arm.scores, as_index(i), other, as_index(j), bootstrap)});
    }
  }
  return result;
}

}  // namespace retropg
