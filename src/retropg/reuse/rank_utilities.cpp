#include "retropg/reuse/rank_utilities.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace retropg {

void rank(std::span<const double> c, std::span<const double> values, Ranking& result) {
  result = {.factor = std::vector<double>(c.size(), 0.0)};
  std::vector<std::size_t> order;
  double total = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!(c[i] > 0.0)) continue;
    order.push_back(i);
    total += c[i];
  }
  std::erase_if(order, [&](std::size_t i) { return !(c[i] / total > 0.0); });  // smaller than numbers reach
  if (order.empty()) return;
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return values[i]; });

  std::vector<double> worth(order.size(), 0.0);  // w v, in this order
  double above = 0.0, sum = 0.0, squared_sum = 0.0;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    double tied = 0.0;
    for (last = first; last < order.size() && values[order[last]] == values[order[first]]; ++last) {
      tied += c[order[last]] / total;
    }
    const double v = std::max(0.0, -std::numbers::ln2 - std::log(above + 0.5 * tied));
    above += tied;
    for (std::size_t k = first; k < last; ++k) {
      const double w = c[order[k]] / total;
      worth[k] = w * v;
      sum += worth[k];
      squared_sum += worth[k] * worth[k];
      squares += w * w;
    }
  }
  result.effective = 1.0 / squares;
  if (!(sum > 0.0)) return;
  result.selected = sum * sum / squared_sum;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double factor = worth[k] / sum - c[order[k]] / total;
    result.factor[order[k]] = factor;
    result.noise += factor * factor;
  }
}

void RankUtilities::weigh(const Window& window, Parameters theta, const LikelihoodComparison& comparison,
                          const OrderedSum& sum, Weights& weights) {
  rule_->weigh(window, theta, comparison, sum, weights);
  values_.assign(weights.c.size(), 0.0);
  for (std::size_t i = 0; i < window.entries().size(); ++i) {
    std::ranges::copy(window.entries()[i].values, values_.begin() + window.chunk_offsets()[i] * kChunk);
  }
  rank(weights.c, values_, ranking_);
  weights.factor = ranking_.factor;
}

double RankUtilities::bytes_per_trajectory(Index window, double batches) const {
  // The value, twice, its place in the order, its worth and its factor, twice.
  return rule_->bytes_per_trajectory(window, batches) + 6.0 * sizeof(double);
}

}  // namespace retropg
