#include "retropg/statistics/bootstrap.hpp"

#include <algorithm>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/statistics/stratified_draws.hpp"

namespace retropg {
namespace {

std::vector<std::size_t> sorted_order(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

/// The interquartile mean of values that occur `times` times each.
double interquartile_mean(std::span<const double> values, std::span<const std::size_t> order,
                          std::span<const double> times) {
  const double count = static_cast<double>(values.size()), low = 0.25 * count, high = 0.75 * count;
  double sum = 0.0, below = 0.0;
  for (const std::size_t i : order) {
    const double above = below + times[i];
    sum += std::max(0.0, std::min(above, high) - std::max(below, low)) * values[i];
    below = above;
  }
  return sum / (high - low);
}

/// Pairs of runs of one task, with y sorted once: y_0, ..., y_{below_i - 1} are smaller than x_i, and
/// y_0, ..., y_{not_above_i - 1} are not larger.
class TaskPairs {
 public:
  TaskPairs(std::span<const double> x, std::span<const double> y) : order_(sorted_order(y)), cumulative_(y.size() + 1) {
    std::vector<double> sorted;
    for (const std::size_t j : order_) sorted.push_back(y[j]);
    for (const double value : x) {
      const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
      below_.push_back(as_size(first - sorted.begin()));
      not_above_.push_back(as_size(last - sorted.begin()));
    }
  }

  std::size_t x_size() const { return below_.size(); }
  std::size_t y_size() const { return order_.size(); }

  double probability(std::span<const double> x_times, std::span<const double> y_times) {
    for (std::size_t j = 0; j < order_.size(); ++j) cumulative_[j + 1] = cumulative_[j] + y_times[order_[j]];
    double wins = 0.0;  // multiples of 0.5, so the sum is exact
    for (std::size_t i = 0; i < below_.size(); ++i) {
      wins += x_times[i] * 0.5 * (cumulative_[below_[i]] + cumulative_[not_above_[i]]);
    }
    return wins / static_cast<double>(x_size() * y_size());
  }

 private:
  std::vector<std::size_t> order_, below_, not_above_;
  std::vector<double> cumulative_;
};

class Pairs {
 public:
  Pairs(TaskScores x, TaskScores y) {
    require_scores(x);
    require_scores(y);
    require(x.size() == y.size(), "both algorithms need scores for the same tasks");
    for (std::size_t task = 0; task < x.size(); ++task) tasks_.emplace_back(x[task], y[task]);
  }

  double probability(std::span<const double> x_times, std::span<const double> y_times) {
    double sum = 0.0;
    for (TaskPairs& task : tasks_) {
      sum += task.probability(x_times.first(task.x_size()), y_times.first(task.y_size()));
      x_times = x_times.subspan(task.x_size());
      y_times = y_times.subspan(task.y_size());
    }
    return sum / static_cast<double>(tasks_.size());
  }

 private:
  std::vector<TaskPairs> tasks_;
};

std::vector<double> pooled(TaskScores scores) {
  std::vector<double> values;
  for (const auto& runs : scores) values.insert(values.end(), runs.begin(), runs.end());
  return values;
}

std::vector<double> once_each(TaskScores scores) {
  std::size_t count = 0;
  for (const auto& runs : scores) count += runs.size();
  return std::vector<double>(count, 1.0);
}

}  // namespace

std::vector<double> normalized(std::span<const double> values, double zero, double one) {
  require(zero < one, "scores can be normalized only by a lower and a higher reference");
  std::vector<double> result;
  for (const double value : values) result.push_back((value - zero) / (one - zero));
  return result;
}

double interquartile_mean(std::span<const double> values) {
  require(!values.empty(), "an interquartile mean needs at least one value");
  return interquartile_mean(values, sorted_order(values), std::vector<double>(values.size(), 1.0));
}

double aggregate_interquartile_mean(TaskScores scores) {
  require_scores(scores);
  return interquartile_mean(pooled(scores));
}

double probability_of_improvement(TaskScores x, TaskScores y) {
  return Pairs(x, y).probability(once_each(x), once_each(y));
}

Interval interquartile_mean_interval(TaskScores scores, Index algorithm, const Bootstrap& bootstrap) {
  require_scores(scores);
  const std::vector<double> values = pooled(scores);
  const std::vector<std::size_t> order = sorted_order(values);
  StratifiedDraws draws(scores, algorithm, bootstrap);
  std::vector<double> samples;
  for (Index r = 0; r < bootstrap.resamples; ++r) {
    samples.push_back(interquartile_mean(values, order, draws.draw(r)));
  }
  return percentile_interval(std::move(samples), bootstrap.level);
}

Interval improvement_interval(TaskScores x, Index x_algorithm, TaskScores y, Index y_algorithm,
                              const Bootstrap& bootstrap) {
  Pairs pairs(x, y);
  StratifiedDraws x_draws(x, x_algorithm, bootstrap), y_draws(y, y_algorithm, bootstrap);
  std::vector<double> samples;
  for (Index r = 0; r < bootstrap.resamples; ++r) {
    samples.push_back(pairs.probability(x_draws.draw(r), y_draws.draw(r)));
  }
  return percentile_interval(std::move(samples), bootstrap.level);
}

}  // namespace retropg
