#include "retropg/estimator/excess_centroid.hpp"

#include <algorithm>
#include <functional>

namespace retropg {
namespace {

constexpr std::size_t kFewest = 3, kShare = 4;

double highest_left_out(std::span<const double> returns) {
  std::vector<double> sorted(returns.begin(), returns.end());
  const std::size_t taken = std::max(kFewest, (sorted.size() + kShare - 1) / kShare);
  const auto place = sorted.begin() + as_index(std::min(taken, sorted.size() - 1));
  std::ranges::nth_element(sorted, place, std::ranges::greater());
  return *place;
}

}  // namespace

std::vector<double> excess_centroid(std::span<const Parameters> draws, std::span<const double> returns) {
  const double best = std::ranges::max(returns), left_out = highest_left_out(returns);
  std::vector<double> result(draws.front().size(), 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    if (returns[i] < left_out || (returns[i] == left_out && left_out < best)) continue;
    const double excess = left_out < best ? (returns[i] - left_out) / (best - left_out) : 1.0;  // from 0 to 1
    const double weight = excess * excess * excess;
    for (std::size_t k = 0; k < result.size(); ++k) result[k] += weight * draws[i][k];
    total += weight;
  }
  for (double& x : result) x /= total;
  return result;
}

}  // namespace retropg
