#include "retropg/training/told_function.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/training/told_steps.hpp"

namespace retropg {
namespace {

constexpr double kRelative = 1e-3, kAbsolute = 1e-6;
constexpr Index kStepsPerTie = 100;

/// The actions of one trajectory's parameters; action_size per step.
std::vector<double> actions_of(Actor& actor, const Policy& policy, const TrajectoryBatch& batch, Index trajectory) {
  const Index observations = policy.observation_size(), actions = policy.action_size();
  const auto drawn = batch.sampled.size() / as_size(batch.size());
  const Parameters parameters = Parameters(batch.sampled).subspan(as_size(trajectory) * drawn, drawn);
  RandomStream unused{StreamName()};
  for (Index lane = 0; lane < kChunk; ++lane) actor.parameter_sampler()->start(parameters, 1.0, lane, unused);
  std::vector<double> rows(as_size(observations * kChunk), 0.0), acts(as_size(actions * kChunk)), notes(acts.size());
  std::vector<double> result;
  for (Index first = batch.begin(trajectory); first < batch.begin(trajectory + 1); first += kChunk) {
    const Index count = std::min(kChunk, batch.begin(trajectory + 1) - first);
    for (Index l = 0; l < count; ++l) {
      for (Index i = 0; i < observations; ++i) {
        rows[as_size(i * kChunk + l)] = batch.observations[as_size((first + l) * observations + i)];
      }
    }
    actor.act(parameters, kChunk, rows.data(), nullptr, acts.data(), notes.data());
    for (Index l = 0; l < count; ++l) {
      for (Index u = 0; u < actions; ++u) result.push_back(acts[as_size(u * kChunk + l)]);
    }
  }
  return result;
}

bool is_whole(double number) {
  return number == std::floor(number);
}

/// The first action that differs from what it should be; its index, or that of the end.
std::size_t first_wrong(std::span<const double> told, std::span<const double> expected, std::size_t width) {
  std::vector<double> allowed(width, 0.0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    allowed[i % width] = std::max(allowed[i % width], kRelative * std::abs(expected[i]));
  }
  std::size_t first = told.size();
  Index ties = 0;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (std::abs(told[i] - expected[i]) <= allowed[i % width] + kAbsolute) continue;
    first = std::min(first, i);
    const bool tie = width == 1 && is_whole(told[i]) && is_whole(expected[i]);
    if (!tie || ++ties > 1 + std::ssize(told) / kStepsPerTie) return first;
  }
  return told.size();
}

}  // namespace

void check_actions_of_parameters(const Policy& policy, const TrajectoryBatch& batch) {
  if (!policy.provides(Capability::kDrawnParameters) || batch.size() == 0 || batch.sampled.empty()) return;
  const std::unique_ptr<Actor> actor = policy.actor(kChunk, Acting::kMean);
  const auto width = as_size(policy.action_size());
  for (Index j = 0; j < batch.size(); ++j) {
    const std::vector<double> expected = actions_of(*actor, policy, batch, j);
    const auto told = std::span(batch.actions).subspan(as_size(batch.begin(j)) * width, expected.size());
    const std::size_t wrong = first_wrong(told, expected, width);
    if (wrong == told.size()) continue;
    throw Error(
        fmt::format("trajectory {}, step {}: action {} is {:.6g}, but the parameters of the trajectory give {:.6g} "
                    "for its observation: {}",
                    j, wrong / width, wrong % width, told[wrong], expected[wrong], kTellAsSampled));
  }
}

}  // namespace retropg
