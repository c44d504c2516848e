#include "agent.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "retropg/configuration/plant.hpp"
#include "retropg/configuration/task_scale.hpp"
#include "retropg/core/error.hpp"

namespace retropg::python {
namespace {

/// Keys about simulating, and about the folder of a run.
bool is_read(const std::string& key) {
  constexpr std::array kUnread = {"train.lanes", "train.broken", "train.eval_every", "train.eval_episodes",
                                  "train.final_episodes"};
  return !key.starts_with("checkpoint.") && !key.starts_with("log.") &&
         std::ranges::find(kUnread, key) == kUnread.end();
}

Configuration resolved(const Given& given) {
  Configuration configuration = resolve(given);
  for (const GivenSetting& setting : given_settings(given)) {
    require(is_read(setting.key),
            setting.text + ": an agent does not simulate and has no folder; it does not read " + setting.key);
    if (setting.key != "env.id") require_effect(std::span(&setting, 1), configuration);
  }
  configuration.train.final_episodes = 0;  // nobody would run them
  return configuration;
}

void check_discrete(const TrajectoryBatch& batch, Index action_count) {
  if (action_count == 0) return;
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index t = 0; t < batch.length(j); ++t) {
      const double action = batch.actions[as_size(batch.begin(j) + t)];
      if (action >= 0.0 && action < static_cast<double>(action_count) && action == std::floor(action)) continue;
      throw Error(fmt::format("trajectory {}, step {}: the action is {}; expected a whole number from 0 to {}", j, t,
                              action, action_count - 1));
    }
  }
}

}  // namespace

Agent::Agent(const Given& given, PlantShape shape) : shape_(std::move(shape)), configuration_(resolved(given)) {
  make_trainer();
}

void Agent::make_trainer() {
  plant_ = plant_definition(shape_, configuration_.env.horizon.value_or(1), configuration_.env.discount.value_or(1.0));
  trainer_ = std::make_unique<Trainer>(retropg::make_trainer(configuration_, plant_));
}

void Agent::open_draws() {
  Index first = 0;
  std::vector<AskedDraw> draws;
  const bool pilot = trainer_->wants_pilot();
  for (const Draw& draw : trainer_->ask()) {
    draws.push_back({.id = next_id_ + as_index(draws.size()),
                     .iteration = pilot ? 0 : trainer_->iteration(),
                     .first = first,
                     .draw = draw});
    for (Index j = 0; j < draw.count && !draw.pilot; ++j) {
      const Sampler sampler = make_sampler(draws.back(), j);
      draws.back().parameters.insert(draws.back().parameters.end(), sampler.parameters().begin(),
                                     sampler.parameters().end());
    }
    first += draw.count;
  }
  told_.assign(draws.size(), {.observation_size = shape_.observation_size, .action_size = shape_.action_size});
  next_id_ += as_index(draws.size());
  open_ = std::move(draws);
}

std::vector<AskedDraw> Agent::ask() {
  const std::lock_guard lock(mutex_);
  if (open_.empty()) open_draws();
  return open_;
}

std::size_t Agent::open_draw(Index id) const {
  require(!open_.empty(), "nothing was asked for in this iteration: call ask before tell");
  const Index first = open_.front().id;
  require(id >= 0 && id < next_id_, fmt::format("no draw has the id {}; the last one has {}", id, next_id_ - 1));
  require(id >= first,
          fmt::format("draw {} belongs to an iteration that has been updated; open draws begin with {}", id, first));
  return as_size(id - first);
}

void check_parameters(const AskedDraw& draw, const TrajectoryBatch& told, const TrajectoryBatch& more) {
  const std::size_t size = draw.parameters.size() / as_size(draw.draw.count);
  if (size == 0) {
    require(more.sampled.empty(), fmt::format("draw {} has no parameters of its own for a trajectory", draw.id));
    return;
  }
  require(more.sampled.size() == as_size(more.size()) * size,
          fmt::format("draw {} has {} parameters for each trajectory: tell those that it acted with", draw.id, size));
  const auto row = [size](const std::vector<double>& rows, Index j) {
    return std::span(rows).subspan(as_size(j) * size, size);
  };
  for (Index j = 0; j < more.size(); ++j) {
    const auto times = [&](const std::vector<double>& rows, Index count) {
      Index found = 0;
      for (Index i = 0; i < count; ++i) found += std::ranges::equal(row(more.sampled, j), row(rows, i)) ? 1 : 0;
      return found;
    };
    const Index drawn = times(draw.parameters, draw.draw.count);
    require(drawn > 0, fmt::format("trajectory {}: its parameters are not among those of draw {}", j, draw.id));
    require(times(told.sampled, told.size()) + times(more.sampled, j) < drawn,
            fmt::format("trajectory {}: draw {} already has a trajectory with these parameters", j, draw.id));
  }
}

void Agent::tell(Index id, const TrajectoryBatch& trajectories) {
  const std::lock_guard lock(mutex_);
  const std::size_t i = open_draw(id);
  const AskedDraw& draw = open_[i];
  require(trajectories.size() > 0, fmt::format("draw {}: no trajectories were told", id));
  const Index left = draw.draw.count - told_[i].size();
  require(trajectories.size() <= left, fmt::format("draw {} asked for {} trajectories and has {}; {} more are too many",
                                                   id, draw.draw.count, told_[i].size(), trajectories.size()));
  check(trajectories, shape_.observation_size, shape_.action_size, plant_.horizon);
  check_discrete(trajectories, shape_.action_count);
  check_parameters(draw, told_[i], trajectories);
  told_[i].append(trajectories);
}

IterationRecord Agent::update() {
  const std::lock_guard lock(mutex_);
  require(!open_.empty(), "nothing was asked for in this iteration: call ask and tell before update");
  for (std::size_t i = 0; i < open_.size(); ++i) {
    require(told_[i].size() > 0, fmt::format("draw {} has no trajectories yet: tell at least one", open_[i].id));
  }
  for (const TrajectoryBatch& told : told_) trainer_->tell(told);
  IterationRecord record = trainer_->update();  // if it fails, the trainer forgets what it was told, and this does not
  open_.clear();
  told_.clear();
  return record;
}

Sampler Agent::make_sampler(const AskedDraw& draw, Index j) const {
  const Policy& policy = trainer_->policy();
  // A policy that draws parameters draws no actions.
  const bool parameters = exploration_of(configuration_) == Exploration::kParameters;
  const StreamName name{.seed = configuration_.train.seed,
                        .purpose = parameters ? Purpose::kSampledParameters : Purpose::kActionNoise,
                        .iteration = static_cast<std::uint32_t>(draw.iteration),
                        .trajectory = static_cast<std::uint32_t>(draw.first + j)};
  return policy.sample(draw.draw.behavior, RandomStream(name), draw.draw.spread);
}

Sampler Agent::sampler(const AskedDraw& draw, Index j) {
  const std::lock_guard lock(mutex_);
  return make_sampler(draw, j);
}

RandomStream Agent::pilot_stream() const {
  return RandomStream({.seed = configuration_.train.seed, .purpose = Purpose::kPilot, .trajectory = 1});
}

bool Agent::finished() {
  const std::lock_guard lock(mutex_);
  return trainer_->finished();
}

Index Agent::iteration() {
  const std::lock_guard lock(mutex_);
  return trainer_->wants_pilot() ? 0 : trainer_->iteration();
}

Index Agent::trajectories() {
  const std::lock_guard lock(mutex_);
  return trainer_->trajectories();
}

std::vector<double> Agent::parameters() {
  const std::lock_guard lock(mutex_);
  return {trainer_->parameters().begin(), trainer_->parameters().end()};
}

void Agent::set_parameters(std::vector<double> theta) {
  const std::lock_guard lock(mutex_);
  trainer_->set_parameters(std::move(theta));
}

ActingPolicy Agent::policy(const std::string& which) {
  const std::lock_guard lock(mutex_);
  require(which == "returned" || which == "best" || which == "final",
          "policy must be returned, best or final, not '" + which + "'");
  const Parameters theta = which == "best"    ? trainer_->best()
                           : which == "final" ? trainer_->parameters()
                                              : trainer_->output();
  return ActingPolicy(fitted_to_task(configuration_, plant_, trainer_->pilot()), plant_, theta);
}

}  // namespace retropg::python
