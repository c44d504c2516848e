#include "retropg/training/told_actions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <boost/math/distributions/chi_squared.hpp>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr double kFarthest = 12.0;
constexpr double kFalseAlarm = 1e-12;  // both sides together
constexpr Index kFewest = 10;          // fewer numbers may be 0 because an interface rounds them

constexpr const char* kAsSampled = "tell actions as they were sampled, not clipped, rescaled or replaced by their mean";

/// Calls body(step, means) for every step of the batch; means are action_size numbers, kLanes apart.
template <class Body>
void for_means(const Policy& policy, Parameters theta, const TrajectoryBatch& batch, const Body& body) {
  constexpr Index kLanes = 32;
  const Index observations = policy.observation_size(), actions = policy.action_size();
  const std::unique_ptr<Actor> actor = policy.actor(kLanes, Acting::kMean);
  std::vector<double> rows(as_size(observations * kLanes), 0.0), means(as_size(actions * kLanes)), notes(means.size());
  for (Index first = 0; first < batch.steps(); first += kLanes) {
    const Index count = std::min(kLanes, batch.steps() - first);
    for (Index l = 0; l < count; ++l) {
      const double* from = batch.observations.data() + (first + l) * observations;
      for (Index i = 0; i < observations; ++i) rows[as_size(i * kLanes + l)] = from[i];
    }
    actor->act(theta, kLanes, rows.data(), nullptr, means.data(), notes.data());
    for (Index l = 0; l < count; ++l) body(first + l, means.data() + l, kLanes);
  }
}

/// "trajectory 3, step 17" of a step of the batch.
std::string place(const TrajectoryBatch& batch, Index step) {
  const auto next = std::ranges::upper_bound(batch.first_step, step);
  const Index trajectory = next - batch.first_step.begin() - 1;
  return fmt::format("trajectory {}, step {}", trajectory, step - batch.begin(trajectory));
}

}  // namespace

void check_told_actions(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch) {
  const std::span<const double> deviations = policy.action_deviations();
  if (deviations.empty() || !(spread > 0.0)) return;
  const auto actions = as_index(deviations.size());
  double sum = 0.0;
  for_means(policy, theta, batch, [&](Index step, const double* means, Index stride) {
    for (Index u = 0; u < actions; ++u) {
      const double action = batch.actions[as_size(step * actions + u)];
      const double z = (action - means[u * stride]) / (spread * deviations[as_size(u)]);
      sum += z * z;
      if (std::abs(z) <= kFarthest) continue;
      throw Error(fmt::format("{}: action {} is {:.6g}, {:.3g} standard deviations from the policy's mean {:.6g}; {}",
                              place(batch, step), u, action, std::abs(z), means[u * stride], kAsSampled));
    }
  });
  const Index count = batch.steps() * actions;
  if (count < kFewest) return;
  const boost::math::chi_squared sum_of_squares(static_cast<double>(count));
  const bool near = sum < quantile(sum_of_squares, 0.5 * kFalseAlarm);
  const bool far = sum > quantile(complement(sum_of_squares, 0.5 * kFalseAlarm));
  if (!near && !far) return;
  throw Error(fmt::format(
      "the {} actions told are on average {:.3g} standard deviations from the policy's mean, too {} to be sampled: {}",
      count, std::sqrt(sum / static_cast<double>(count)), near ? "near" : "far", kAsSampled));
}

}  // namespace retropg
