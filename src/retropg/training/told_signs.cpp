#include "retropg/training/told_signs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <boost/math/special_functions/gamma.hpp>

#include "retropg/core/error.hpp"
#include "retropg/training/told_rounding.hpp"
#include "retropg/training/told_steps.hpp"

namespace retropg {
namespace {

constexpr double kFalseAlarm = 1e-12;
constexpr Index kFewest = 2;
constexpr double kBits = 64.0;  // that tell two trajectories apart
constexpr double kRoundingOfMeans = 0x1p-50;

/// Numbers of a kind that sampled ones never are, and how many of them are expected because of rounding.
struct Hits {
  std::string what;
  Index count = 0, step = 0, action = 0;  // the place of the first one
  double expected = 0.0;

  /// `distance` of the exact number from the mean, and of its neighbors from each other, in deviations.
  void see(bool hit, Index at, Index u, double distance, double neighbors) {
    constexpr double kPeak = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;
    expected += std::min(1.0, kPeak * std::exp(-0.5 * distance * distance) * neighbors);
    if (!hit) return;
    if (count == 0) step = at, action = u;
    ++count;
  }
  bool certain() const {
    return count >= kFewest && boost::math::gamma_p(static_cast<double>(count), expected) < kFalseAlarm;
  }
};

/// Every bit of every number counts (the finalizer of SplitMix64).
std::uint64_t hash_of(std::span<const double> numbers) {
  std::uint64_t hash = numbers.size();
  for (const double number : numbers) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(number)) + 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
  }
  return hash;
}

/// How many numbers, as a power of two, a step's actions spread over; infinite if all are 0, which is told from no
/// noise.
double bits_per_step(std::span<const double> deviations, const TrajectoryBatch& batch) {
  double largest = 0.0, bits = 0.0;
  for (const double action : batch.actions) largest = std::max(largest, std::abs(action));
  for (std::size_t u = 0; u < deviations.size(); ++u) {
    const double step = rounding_of(batch, as_index(u)).step(largest);
    bits += std::max(0.0, std::log2(2.0 / std::numbers::inv_sqrtpi * deviations[u] / step));
  }
  return bits;
}

}  // namespace

void check_exact_actions(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch,
                         std::span<const ActionRange> ranges) {
  const std::vector<double> deviations = policy.action_deviations(theta);
  if (deviations.empty() || !(spread > 0.0)) return;
  const auto actions = as_index(deviations.size());
  std::vector<Rounding> roundings;
  for (Index u = 0; u < actions; ++u) roundings.push_back(rounding_of(batch, u));
  std::array<Hits, 2> found{{{.what = "the policy's mean"}, {.what = "an end of its range"}}};
  Hits& of_mean = found[0];
  Hits& of_end = found[1];
  for_means(policy, theta, batch, [&](Index step, const double* means, Index stride) {
    for (Index u = 0; u < actions; ++u) {
      const double action = batch.actions[as_size(step * actions + u)], mean = means[u * stride];
      const double deviation = spread * deviations[as_size(u)];
      const Rounding& rounding = roundings[as_size(u)];
      const double near = std::max(0.5 * rounding.step(mean), kRoundingOfMeans * std::abs(mean));
      of_mean.see(std::abs(action - mean) <= near, step, u, 0.0, 2.0 * near / deviation);
      if (ranges.empty()) continue;
      for (const double end : {ranges[as_size(u)].low, ranges[as_size(u)].high}) {
        const double neighbors = rounding.step(end);
        of_end.see(std::abs(action - end) <= 0.5 * neighbors, step, u, (end - mean) / deviation, neighbors / deviation);
      }
    }
  });
  for (const Hits& hits : found) {
    if (!hits.certain()) continue;
    throw Error(fmt::format(
        "{}: action {} is exactly {}, as {} of the {} numbers told are, which sampled ones never are: {}",
        place_of_step(batch, hits.step), hits.action, hits.what, hits.count, batch.steps() * actions, kTellAsSampled));
  }
}

Fingerprints fingerprints(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch) {
  Fingerprints prints{.deviations = policy.action_deviations(theta)};
  if (prints.deviations.empty() || !(spread > 0.0)) return {};
  for (double& deviation : prints.deviations) deviation *= spread;
  const Index width = batch.action_size;
  for (Index j = 0; j < batch.size(); ++j) {
    prints.hashes.push_back(
        hash_of(std::span(batch.actions).subspan(as_size(batch.begin(j) * width), as_size(batch.length(j) * width))));
  }
  return prints;
}

void ToldTrajectories::check(const Fingerprints& prints, const TrajectoryBatch& batch) const {
  std::unordered_set<std::uint64_t> now;
  for (std::size_t j = 0; j < prints.hashes.size(); ++j) {
    if (now.insert(prints.hashes[j]).second && !known_.contains(prints.hashes[j])) continue;
    const double steps = static_cast<double>(batch.length(as_index(j)));
    if (!(steps * bits_per_step(prints.deviations, batch) >= kBits)) continue;
    throw Error(
        fmt::format("trajectory {}: one with the same actions, to the last bit, has been told already; no two "
                    "that are sampled are the same",
                    j));
  }
}

}  // namespace retropg
