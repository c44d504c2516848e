#pragma once

#include <span>
#include <string>
#include <vector>

#include "retropg/environment/returns.hpp"
#include "retropg/experiment/comparison.hpp"
#include "retropg/statistics/performance_profile.hpp"

namespace retropg {

/// An arm over several environments. Its scores are areas, normalized so that the random policy has 0 and the best
/// known return is 1.
struct AggregateArm {
  std::string label;
  std::string algorithm;
  std::vector<std::vector<double>> scores;  // by environment, one per run
  double interquartile_mean = 0.0;          // of all scores
  Interval interval{};                      // stratified bootstrap
  PerformanceProfile profile{};
};

struct AggregatePair {
  std::size_t candidate = 0, reference = 0;  // indices of arms
  double probability = 0.0;                  // of improvement, averaged over environments
  Interval interval{};                       // stratified bootstrap
};

struct Aggregate {
  std::vector<AggregateArm> arms;    // those of every comparison
  std::vector<AggregatePair> pairs;  // every ordered pair, by candidate, then reference
  std::size_t reference = 0;
  std::vector<std::string> left_out;  // labels of arms that are missing in a comparison

  /// Indices of arms, the highest interquartile mean first.
  std::vector<std::size_t> order() const;
  /// Throws Error if there is no such pair.
  const AggregatePair& pair(std::size_t candidate, std::size_t compared_with) const;
};

/// One comparison per environment, all with the same reference, and the returns to normalize by.
Aggregate aggregate(std::span<const Comparison> comparisons, std::span<const ReferenceReturns> returns);

}  // namespace retropg
