#include "retropg/trajectory/trajectory_batch.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/trajectory/broken_number.hpp"

namespace retropg {
namespace {

/// Adds the rows [first, last) of `from`, which has as many numbers in each of its `rows` rows.
template <class Value>
void add_rows(std::vector<Value>& to, const std::vector<Value>& from, Index rows, Index first, Index last) {
  const Index width = rows == 0 ? 0 : as_index(from.size()) / rows;
  to.insert(to.end(), from.begin() + first * width, from.begin() + last * width);
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

void TrajectoryBatch::append(const TrajectoryBatch& other, Index first, Index last) {
  const auto add_steps = [&](std::vector<double>& to, const std::vector<double>& from) {
    add_rows(to, from, other.steps(), other.begin(first), other.begin(last));
  };
  add_steps(observations, other.observations);
  add_steps(actions, other.actions);
  add_steps(rewards, other.rewards);
  add_steps(notes, other.notes);
  add_rows(sampled, other.sampled, other.size(), first, last);
  if (size() > 0 && endings.empty() != other.endings.empty()) {
    endings.clear();
  } else {
    add_rows(endings, other.endings, other.size(), first, last);
  }
  add_rows(final_observations, other.final_observations, other.size(), first, last);
  if (size() == 0) {
    noted = other.noted;
    noted_by = other.noted_by;
    collected = other.collected;
  } else if (noted != other.noted || noted_by != other.noted_by) {
    notes.clear();
    noted.clear();
    noted_by = nullptr;
  }
  collected = collected && other.collected;
  const Index shift = first_step.back() - other.begin(first);
  for (Index j = first + 1; j <= last; ++j) first_step.push_back(shift + other.begin(j));
}

void TrajectoryBatch::cut_last(Index steps) {
  if (length(size() - 1) <= steps) return;
  const Index total = begin(size() - 1) + steps;
  first_step.back() = total;
  observations.resize(as_size(total * observation_size));
  actions.resize(as_size(total * action_size));
  rewards.resize(as_size(total));
  if (!notes.empty()) notes.resize(actions.size());
  if (!endings.empty()) endings.pop_back();
  if (!final_observations.empty()) final_observations.resize(as_size((size() - 1) * observation_size));
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
  if (const std::optional<BrokenNumber> broken = first_broken_number(batch)) {
    throw Error("trajectory " + std::to_string(broken->trajectory) + ", step " + std::to_string(broken->step) + ": " +
                broken->what);
  }
}

std::vector<double> observation_root_mean_squares(const TrajectoryBatch& batch) {
  const auto size = as_size(batch.observation_size);
  std::vector<double> result(size, 0.0);
  for (std::size_t i = 0; i < batch.observations.size(); ++i) {
    result[i % size] += batch.observations[i] * batch.observations[i];
  }
  for (double& sum : result) sum = std::sqrt(sum / static_cast<double>(batch.steps()));
  return result;
}

}  // namespace retropg
