#include "retropg/statistics/performance_profile.hpp"

#include <algorithm>
#include <functional>

#include "retropg/core/error.hpp"
#include "retropg/statistics/stratified_draws.hpp"

namespace retropg {
namespace {

/// Counts runs above thresholds. Every score is looked up once; a resample only adds up.
class Counter {
 public:
  Counter(TaskScores scores, std::span<const double> thresholds)
      : counts_(thresholds.size()), fractions_(thresholds.size()) {
    for (const auto& runs : scores) {
      tasks_.emplace_back();
      for (const double score : runs) {
        tasks_.back().push_back(as_size(std::ranges::lower_bound(thresholds, score) - thresholds.begin()));
      }
    }
  }

  /// The fraction above each threshold if the runs, concatenated, occur `times` times each.
  std::span<const double> fractions(std::span<const double> times) {
    std::ranges::fill(fractions_, 0.0);
    for (const std::vector<std::size_t>& runs : tasks_) {
      std::ranges::fill(counts_, 0.0);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i] > 0) counts_[runs[i] - 1] += times[i];
      }
      times = times.subspan(runs.size());
      double above = 0.0;
      for (std::size_t k = counts_.size(); k-- > 0;) {
        above += counts_[k];
        fractions_[k] += above / static_cast<double>(runs.size());
      }
    }
    for (double& fraction : fractions_) fraction /= static_cast<double>(tasks_.size());
    return fractions_;
  }

 private:
  std::vector<std::vector<std::size_t>> tasks_;  // of every run, the number of thresholds below its score
  std::vector<double> counts_, fractions_;
};

}  // namespace

PerformanceProfile performance_profile(TaskScores scores, std::span<const double> thresholds, Index algorithm,
                                       const Bootstrap& bootstrap) {
  require_scores(scores);
  require(std::ranges::adjacent_find(thresholds, std::greater_equal{}) == thresholds.end(),
          "the thresholds of a performance profile must strictly increase");
  Counter counter(scores, thresholds);
  std::size_t runs = 0;
  for (const auto& task : scores) runs += task.size();
  const auto all = counter.fractions(std::vector<double>(runs, 1.0));
  PerformanceProfile profile{
      .threshold = {thresholds.begin(), thresholds.end()}, .fraction = {all.begin(), all.end()}, .band = {}};
  std::vector<std::vector<double>> samples(thresholds.size());
  StratifiedDraws draws(scores, algorithm, bootstrap);
  for (Index r = 0; r < bootstrap.resamples; ++r) {
    const auto fractions = counter.fractions(draws.draw(r));
    for (std::size_t k = 0; k < samples.size(); ++k) samples[k].push_back(fractions[k]);
  }
  for (std::vector<double>& sample : samples) {
    profile.band.push_back(percentile_interval(std::move(sample), bootstrap.level));
  }
  return profile;
}

}  // namespace retropg
