#include "retropg/trajectory/broken_number.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace retropg {
namespace {

bool sound(double value) {
  return std::abs(value) <= kLargestNumber;  // false for NaN
}

bool all_sound(std::span<const double> values) {
  return std::ranges::all_of(values, sound);
}

/// What is wrong with the first broken number of a row; empty if there is none.
std::string fault(const std::vector<double>& values, Index row, Index width, const char* name) {
  const auto numbers = std::span(values).subspan(as_size(row * width), as_size(width));
  const auto broken = std::ranges::find_if_not(numbers, sound);
  if (broken == numbers.end()) return {};
  const std::string limit =
      std::isfinite(*broken) ? fmt::format("; its absolute value must not exceed {}", kLargestNumber) : "";
  if (width == 1) return fmt::format("the {} is {}{}", name, *broken, limit);
  return fmt::format("number {} of the {} is {}{}", broken - numbers.begin(), name, *broken, limit);
}

}  // namespace

std::optional<BrokenNumber> broken_number(const TrajectoryBatch& batch, Index trajectory) {
  for (Index t = batch.begin(trajectory); t < batch.begin(trajectory + 1); ++t) {
    for (std::string what :
         {fault(batch.observations, t, batch.observation_size, "observation"),
          fault(batch.actions, t, batch.action_size, "action"), fault(batch.rewards, t, 1, "reward")}) {
      if (!what.empty()) return BrokenNumber{trajectory, t - batch.begin(trajectory), std::move(what)};
    }
  }
  if (batch.final_observations.empty()) return std::nullopt;
  std::string what = fault(batch.final_observations, trajectory, batch.observation_size, "final observation");
  if (what.empty()) return std::nullopt;
  return BrokenNumber{trajectory, batch.length(trajectory), std::move(what)};
}

std::optional<BrokenNumber> first_broken_number(const TrajectoryBatch& batch) {
  if (all_sound(batch.observations) && all_sound(batch.actions) && all_sound(batch.rewards) &&
      all_sound(batch.final_observations)) {
    return std::nullopt;
  }
  for (Index j = 0; j < batch.size(); ++j) {
    if (std::optional<BrokenNumber> broken = broken_number(batch, j)) return broken;
  }
  return std::nullopt;
}

}  // namespace retropg
