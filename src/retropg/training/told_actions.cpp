#include "retropg/training/told_actions.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <boost/math/distributions/chi_squared.hpp>

#include "retropg/core/error.hpp"
#include "retropg/training/told_function.hpp"
#include "retropg/training/told_signs.hpp"
#include "retropg/training/told_steps.hpp"

namespace retropg {
namespace {

constexpr double kFarthest = 12.0;
constexpr double kFalseAlarm = 1e-12;  // both sides together
constexpr Index kFewest = 10;          // fewer numbers may be 0 because an interface rounds them

/// Numbers so near to each other may be the same.
bool may_be(double action, double number) {
  return std::abs(action - number) <= 1e-6 * std::abs(number);
}

void check_sum_of_squares(double sum, Index count) {
  if (count < kFewest) return;
  const boost::math::chi_squared sum_of_squares(static_cast<double>(count));
  const bool near = sum < quantile(sum_of_squares, 0.5 * kFalseAlarm);
  const bool far = sum > quantile(complement(sum_of_squares, 0.5 * kFalseAlarm));
  if (!near && !far) return;
  throw Error(fmt::format(
      "the {} actions told are on average {:.3g} standard deviations from the policy's mean, too {} to be sampled: {}",
      count, std::sqrt(sum / static_cast<double>(count)), near ? "near" : "far", kTellAsSampled));
}

}  // namespace

void check_told_actions(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch,
                        std::span<const ActionRange> ranges) {
  check_actions_of_parameters(policy, batch);
  const std::vector<double> deviations = policy.action_deviations(theta);
  if (deviations.empty() || !(spread > 0.0)) return;
  const auto actions = as_index(deviations.size());
  double sum = 0.0;
  Index exact = 0;  // actions that are worth a closer look
  for_means(policy, theta, batch, [&](Index step, const double* means, Index stride) {
    for (Index u = 0; u < actions; ++u) {
      const double action = batch.actions[as_size(step * actions + u)];
      const double z = (action - means[u * stride]) / (spread * deviations[as_size(u)]);
      sum += z * z;
      bool hit = may_be(action, means[u * stride]);
      if (!ranges.empty())
        hit = hit || may_be(action, ranges[as_size(u)].low) || may_be(action, ranges[as_size(u)].high);
      exact += hit ? 1 : 0;
      if (std::abs(z) <= kFarthest) continue;
      throw Error(fmt::format("{}: action {} is {:.6g}, {:.3g} standard deviations from the policy's mean {:.6g}; {}",
                              place_of_step(batch, step), u, action, std::abs(z), means[u * stride], kTellAsSampled));
    }
  });
  check_sum_of_squares(sum, batch.steps() * actions);
  if (exact > 1) check_exact_actions(policy, theta, spread, batch, ranges);
}

}  // namespace retropg
