#include "retropg/reuse/return_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace retropg {

ReturnEstimate return_estimate(std::span<const double> c, std::span<const double> returns) {
  if (returns.empty()) return {};
  double total = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    total += c[i];
    sum += c[i] * returns[i];
  }
  const double mean = sum / total;
  const auto [smallest, largest] = std::ranges::minmax(returns);
  double squares = 0.0, spread = 0.0, at_smallest = 0.0, at_largest = 0.0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double w = c[i] / total, deviation = w * (returns[i] - mean);
    squares += w * w;
    spread += deviation * deviation;
    if (returns[i] == smallest) at_smallest += w;
    if (returns[i] == largest) at_largest += w;
  }
  const ReturnEstimate result{.mean = mean,
                              .variance = spread / squares,
                              .effective = 1.0 / squares,
                              .trajectories = as_index(returns.size()),
                              .smallest = smallest,
                              .largest = largest,
                              .at_smallest = at_smallest,
                              .at_largest = at_largest};
  const bool known = total > 0.0 && std::isfinite(mean) && std::isfinite(result.variance) && squares > 0.0;
  return known ? result : ReturnEstimate{.trajectories = result.trajectories};
}

ReturnEstimate return_estimate(std::span<const double> returns) {
  return return_estimate(std::vector<double>(returns.size(), 1.0), returns);
}

ReturnEstimate return_estimate(const Window& window, const Weights& weights, Index newest) {
  std::vector<double> c, returns;
  const auto last = as_size(std::max(Index{0}, window.size() - newest));
  for (std::size_t i = 0; i < last; ++i) {
    const std::vector<double>& own = window.entries()[i].returns;
    const auto first = weights.c.begin() + window.chunk_offsets()[i] * kChunk;
    c.insert(c.end(), first, first + as_index(own.size()));
    returns.insert(returns.end(), own.begin(), own.end());
  }
  return return_estimate(c, returns);
}

}  // namespace retropg
