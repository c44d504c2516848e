#include "retropg/trajectory/trajectory_batch.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

std::span<const double> row(const std::vector<double>& values, Index step, Index width) {
  return std::span(values).subspan(as_size(step * width), as_size(width));
}

}  // namespace

void TrajectoryBatch::reserve(Index steps) {
  observations.reserve(as_size(steps * observation_size));
  actions.reserve(as_size(steps * action_size));
  rewards.reserve(as_size(steps));
}

void TrajectoryBatch::add(std::span<const double> observation, std::span<const double> action, double reward) {
  observations.insert(observations.end(), observation.begin(), observation.end());
  actions.insert(actions.end(), action.begin(), action.end());
  rewards.push_back(reward);
}

void TrajectoryBatch::close(Ending ending, std::span<const double> final_observation) {
  close();
  endings.push_back(ending);
  final_observations.insert(final_observations.end(), final_observation.begin(), final_observation.end());
}

void TrajectoryBatch::append(const TrajectoryBatch& other) {
  const auto add_all = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  add_all(observations, other.observations);
  add_all(actions, other.actions);
  add_all(rewards, other.rewards);
  add_all(sampled, other.sampled);
  add_all(endings, other.endings);
  add_all(final_observations, other.final_observations);
  add_all(notes, other.notes);
  if (size() == 0) {
    noted = other.noted;
    noted_by = other.noted_by;
  } else if (noted != other.noted || noted_by != other.noted_by) {
    notes.clear();
    noted.clear();
    noted_by = nullptr;
  }
  const Index steps_before = first_step.back();
  for (Index j = 1; j <= other.size(); ++j) first_step.push_back(steps_before + other.begin(j));
}

std::vector<double> discounted_returns(const TrajectoryBatch& batch, double discount) {
  std::vector<double> returns(as_size(batch.size()), 0.0);
  for (Index j = 0; j < batch.size(); ++j) {
    double factor = 1.0;
    for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t, factor *= discount) {
      returns[as_size(j)] += factor * batch.rewards[as_size(t)];
    }
  }
  return returns;
}

std::vector<double> step_credits(const TrajectoryBatch& batch, double discount, Credit credit) {
  std::vector<double> credits(as_size(batch.steps()), 1.0);
  if (credit == Credit::kOne) return credits;
  for (Index j = 0; j < batch.size(); ++j) {
    double factor = 1.0;
    for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t, factor *= discount) {
      credits[as_size(t)] = factor * batch.rewards[as_size(t)];
    }
    for (Index t = batch.begin(j + 1) - 2; t >= batch.begin(j); --t) {
      credits[as_size(t)] += credits[as_size(t) + 1];
    }
    if (credit == Credit::kRewardToGo) continue;
    for (Index t = batch.begin(j) + 1; t < batch.begin(j + 1); ++t) {
      credits[as_size(t)] = credits[as_size(batch.begin(j))];
    }
  }
  return credits;
}

std::optional<StepPlace> first_broken_step(const TrajectoryBatch& batch) {
  if (all_finite(batch.observations) && all_finite(batch.actions) && all_finite(batch.rewards)) return std::nullopt;
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
      const bool finite = all_finite(row(batch.observations, t, batch.observation_size)) &&
                          all_finite(row(batch.actions, t, batch.action_size)) && all_finite(row(batch.rewards, t, 1));
      if (!finite) return StepPlace{j, t - batch.begin(j)};
    }
  }
  return std::nullopt;
}

void check(const TrajectoryBatch& batch, Index observation_size, Index action_size, Index horizon) {
  require(batch.observation_size == observation_size && batch.action_size == action_size,
          "trajectories have observations of " + std::to_string(batch.observation_size) + " and actions of " +
              std::to_string(batch.action_size) + " numbers; expected " + std::to_string(observation_size) + " and " +
              std::to_string(action_size));
  require(!batch.first_step.empty() && batch.first_step.front() == 0 && std::ranges::is_sorted(batch.first_step),
          "first_step must start at 0 and never decrease");
  const auto steps = as_size(batch.steps());
  require(batch.rewards.size() == steps && batch.observations.size() == steps * as_size(observation_size) &&
              batch.actions.size() == steps * as_size(action_size),
          "trajectories hold " + std::to_string(batch.rewards.size()) + " rewards for " + std::to_string(steps) +
              " steps, or observations or actions of a different length");
  const auto trajectories = as_size(batch.size());
  require((batch.endings.empty() || batch.endings.size() == trajectories) &&
              (batch.final_observations.empty() ||
               batch.final_observations.size() == trajectories * as_size(observation_size)),
          "endings and final observations must be given for every trajectory or for none");
  require(batch.notes.empty() || batch.notes.size() == batch.actions.size(),
          "notes must be given for every action or for none");
  for (Index j = 0; j < batch.size(); ++j) {
    if (batch.length(j) >= 1 && batch.length(j) <= horizon) continue;
    throw Error("trajectory " + std::to_string(j) + " has " + std::to_string(batch.length(j)) +
                " steps; expected 1 to " + std::to_string(horizon));
  }
  if (const std::optional<StepPlace> broken = first_broken_step(batch)) {
    throw Error("trajectory " + std::to_string(broken->trajectory) + ", step " + std::to_string(broken->step) +
                ": an observation, action or reward is not finite");
  }
}

}  // namespace retropg
