#include "retropg/training/step_limit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "retropg/core/numerics.hpp"
#include "retropg/core/scratch.hpp"
#include "retropg/policy/evidence_sum.hpp"

namespace retropg {
namespace {

/// A linear policy meets the limit in one round but for rounding, which is far below this. A mean over few trajectories
/// is itself known to several percent at best.
constexpr double kTolerance = 1e-6;

/// A network whose divergence grows faster than the square needs more rounds than one. Each aims lower, so that two or
/// three suffice as a rule.
constexpr double kCaution = 0.9;
constexpr Index kMostRounds = 30;

/// A first factor that was taken far from the limit, where the divergence grows faster than the square, may be
/// much too small: a step that uses less than this share of the limit is lengthened again.
constexpr double kLeastUse = 0.5;

/// Of a step that moves the policy farther than numbers reach.
constexpr double kFarTooLong = 1e-10;

}  // namespace

bool drawn_from(Parameters theta, const Batch& batch) {
  return batch.spread == 1.0 && std::ranges::equal(batch.behavior, theta);
}

StepLimit::StepLimit(double limit, Parameters theta, std::span<const Batch> fresh) : limit_(limit), theta_(theta) {
  for (const Batch& batch : fresh) {
    if (drawn_from(theta, batch)) fresh_.push_back(batch.evidence);
  }
  if (!fresh_.empty()) return;
  for (const Batch& batch : fresh) fresh_.push_back(batch.evidence);
}

LimitedStep StepLimit::shorten(std::span<double> next, const OrderedSum& sum) const {
  LimitedStep step{.divergence = divergence(next, sum)};
  const auto within = [&] { return step.divergence <= limit_ * (1.0 + kTolerance); };  // false if it is not a number
  if (within()) return step;
  const std::vector<double> proposed(next.begin(), next.end());
  const auto go = [&](double factor) {
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = theta_[i] + factor * (proposed[i] - theta_[i]);
  };
  const auto take = [&](double factor) {
    step.factor = factor;
    go(factor);
    step.divergence = divergence(next, sum);
  };
  double too_long = step.factor;
  for (Index round = 0; round < kMostRounds && !within(); ++round) {
    too_long = step.factor;
    const double shorter = std::isfinite(step.divergence) ? std::sqrt(limit_ / step.divergence) : kFarTooLong;
    take(step.factor * shorter * (round > 0 ? kCaution : 1.0));
  }
  if (!within() || !all_finite(next)) {
    std::ranges::copy(theta_, next.begin());
    return {.divergence = 0.0, .factor = 0.0};
  }
  LimitedStep longest = step;  // within the limit
  for (Index round = 0; round < kMostRounds && longest.divergence < kLeastUse * limit_; ++round) {
    take(std::sqrt(longest.factor) * std::sqrt(too_long));
    if (within() && all_finite(next)) {
      longest = step;
    } else {
      too_long = step.factor;
    }
  }
  if (longest.factor != step.factor) go(longest.factor);
  return longest;
}

double StepLimit::divergence(Parameters next, const OrderedSum& sum) const {
  double total = 0.0;
  Index trajectories = 0;
  for (const std::shared_ptr<const Evidence>& evidence : fresh_) {
    const auto& steps = as<DivergenceEvidence>(*evidence);
    std::array<double, 1> part{};
    sum_rows(
        *evidence, sum,
        [&](Index first, Index last, double* rows) {
          Scratch divergences(as_size((last - first) * kChunk));
          steps.divergences(theta_, next, first, last, divergences.data());
          for (Index chunk = 0; chunk < last - first; ++chunk) {
            rows[chunk] = chunk_sum(divergences.data() + chunk * kChunk);
          }
        },
        part);
    total += part[0];
    trajectories += evidence->size();
  }
  return total / static_cast<double>(trajectories);
}

}  // namespace retropg
