#include "retropg/training/told_signs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

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

/// Numbers that are exactly `what`, and how many are expected to be by chance.
struct Hits {
  const char* what = "";
  Index count = 0, first = 0;  // the step of the first one
  double expected = 0.0;

  /// `distance` in deviations from the mean; `step` is the distance between neighboring numbers, in deviations.
  void see(Index at, bool hit, double distance, double step) {
    constexpr double kPeak = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;
    expected += std::min(1.0, kPeak * std::exp(-0.5 * distance * distance) * step);
    if (!hit) return;
    if (count == 0) first = at;
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

/// Of one action: its mean, and the ends of its range.
struct ExactAction {
  Rounding rounding;
  std::array<Hits, 3> hits{{{.what = "the policy's mean"}, {.what = "the low end"}, {.what = "the high end"}}};

  void see(Index at, double action, double mean, double deviation, const ActionRange* range) {
    constexpr double kRoundingOfMeans = 0x1p-50;
    const double near_mean = std::max(0.5 * rounding.step(mean), kRoundingOfMeans * std::abs(mean));
    hits[0].see(at, std::abs(action - mean) <= near_mean, 0.0, 2.0 * near_mean / deviation);
    if (range == nullptr) return;
    for (const auto& [end, found] : {std::pair{range->low, &hits[1]}, {range->high, &hits[2]}}) {
      const double step = rounding.step(end);
      found->see(at, std::abs(action - end) <= 0.5 * step, (end - mean) / deviation, step / deviation);
    }
  }
};

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
  std::vector<ExactAction> exact(deviations.size());
  for (std::size_t u = 0; u < exact.size(); ++u) exact[u].rounding = rounding_of(batch, as_index(u));
  for_means(policy, theta, batch, [&](Index step, const double* means, Index stride) {
    for (std::size_t u = 0; u < exact.size(); ++u) {
      exact[u].see(step, batch.actions[as_size(step) * exact.size() + u], means[as_index(u) * stride],
                   spread * deviations[u], ranges.empty() ? nullptr : &ranges[u]);
    }
  });
  for (std::size_t u = 0; u < exact.size(); ++u) {
    const auto found = std::ranges::find_if(exact[u].hits, &Hits::certain);
    if (found == exact[u].hits.end()) continue;
    const bool mean = found == exact[u].hits.begin();
    throw Error(fmt::format("{}: action {} is exactly {}, as {} of the {} told are, which sampled ones never are: {}",
                            place_of_step(batch, found->first), u,
                            mean ? found->what : fmt::format("{} of its range", found->what), found->count,
                            batch.steps(), kTellAsSampled));
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
