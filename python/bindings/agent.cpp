#include "agent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "log.hpp"
#include "retropg/configuration/task_scale.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/core/error.hpp"
#include "retropg/experiment/preset_line.hpp"
#include "retropg/training/told_signs.hpp"
#include "setting_values.hpp"

namespace retropg::python {
namespace {

/// Keys about simulating, and about the folder of a run.
bool is_read(const std::string& key) {
  constexpr std::array kUnread = {"train.lanes",         "train.broken",  "train.eval_every",
                                  "train.eval_episodes", "train.confirm", "train.until_solved"};
  return !key.starts_with("checkpoint.") && !key.starts_with("log.") &&
         std::ranges::find(kUnread, key) == kUnread.end();
}

Configuration resolved(const Given& given) {
  Configuration configuration = resolve(given);
  for (const GivenSetting& setting : given_settings(given)) {
    require(is_read(setting.key),
            setting.text + ": an agent does not simulate and has no folder; it does not read " + setting.key);
    require_effect(std::span(&setting, 1), configuration);
  }
  configuration.train.confirm = 0;  // nobody would run them
  log_info(preset_line(preset_kind(given), configuration, kNoPreset));
  return configuration;
}

/// Once per trajectory; then no actions are drawn.
bool draws_parameters(const Configuration& configuration) {
  return exploration_of(configuration) == Exploration::kParameters;
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

std::string name_of(const DrawId& id) {
  return fmt::format("draw {} of iteration {}", id.index, id.iteration);
}

void DrawnParameters::check(const TrajectoryBatch& more) const {
  const std::size_t size = drawn.size() / as_size(count);
  if (size == 0) {
    require(more.sampled.empty(), name_of(id) + " has no parameters of its own for a trajectory");
    return;
  }
  require(more.sampled.size() == as_size(more.size()) * size,
          fmt::format("{} has {} parameters for each trajectory: tell those that it acted with", name_of(id), size));
  const std::span<const double> sampled = more.sampled;
  for (Index j = 0; j < more.size(); ++j) {
    const auto times_in = [&](std::span<const double> rows) {
      Index found = 0;
      for (; !rows.empty(); rows = rows.subspan(size)) {
        found += std::ranges::equal(sampled.subspan(as_size(j) * size, size), rows.first(size)) ? 1 : 0;
      }
      return found;
    };
    const Index times = times_in(drawn);
    require(times > 0, fmt::format("trajectory {}: its parameters are not among those of {}", j, name_of(id)));
    require(times_in(told) + times_in(sampled.first(as_size(j) * size)) < times,
            fmt::format("trajectory {}: {} already has a trajectory with these parameters", j, name_of(id)));
  }
}

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
  const bool parameters = draws_parameters(configuration_) && !trainer_->wants_pilot();
  for (const Draw& draw : trainer_->ask()) {
    AskedDraw& asked = draws.emplace_back(AskedDraw{.first = first, .draw = draw});
    for (Index j = 0; parameters && j < draw.count; ++j) {
      const Sampler sampler = make_sampler(asked, j);
      asked.parameters.insert(asked.parameters.end(), sampler.parameters().begin(), sampler.parameters().end());
    }
    first += draw.count;
  }
  told_.assign(draws.size(), {.observation_size = shape_.observation_size, .action_size = shape_.action_size});
  open_ = std::move(draws);
}

std::vector<AskedDraw> Agent::ask() {
  const std::lock_guard lock(mutex_);
  if (open_.empty()) open_draws();
  return open_;
}

void Agent::tell(const DrawId& id, const TrajectoryBatch& trajectories) {
  const std::lock_guard lock(mutex_);
  require(trajectories.size() > 0, name_of(id) + ": no trajectories were told");
  check_discrete(trajectories, shape_.action_count);
  const auto open = std::ranges::find(open_, id, [](const AskedDraw& draw) { return draw.draw.id; });
  if (open != open_.end()) {
    tell_open(as_size(open - open_.begin()), trajectories);
  } else {
    tell_late(id, trajectories);
  }
}

void Agent::tell_open(std::size_t i, const TrajectoryBatch& trajectories) {
  const AskedDraw& draw = open_[i];
  const Index count = draw.draw.count;
  require(trajectories.size() <= count - told_[i].size(),
          fmt::format("{} has {} of {} trajectories; {} more are too many", name_of(draw.draw.id), told_[i].size(),
                      count, trajectories.size()));
  check(trajectories, shape_.observation_size, shape_.action_size, plant_.horizon);
  DrawnParameters{.id = draw.draw.id, .drawn = draw.parameters, .told = told_[i].sampled, .count = count}.check(
      trajectories);
  const auto check_actions = [&](const TrajectoryBatch& batch) {
    trainer_->check_actions(draw.draw, batch);
    ToldTrajectories others;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      if (k != i) others.add(prints_of(open_[k], told_[k]).hashes);
    }
    others.check(prints_of(draw, batch), batch);
  };
  check_actions(trajectories);  // whose message names one of these
  const Index before = told_[i].size();
  told_[i].append(trajectories);
  try {
    check_actions(told_[i]);  // as `update` will do
  } catch (...) {
    TrajectoryBatch kept{.observation_size = shape_.observation_size, .action_size = shape_.action_size};
    kept.append(told_[i], 0, before);
    told_[i] = std::move(kept);
    throw;
  }
}

void Agent::tell_late(const DrawId& id, const TrajectoryBatch& trajectories) {
  require(id.index >= 0 && id.iteration >= 1 && id.iteration < trainer_->iteration(),
          name_of(id) + " was not asked for");
  const auto known = std::ranges::find(late_, id, &DrawnParameters::id);
  if (known != late_.end()) known->check(trajectories);
  trainer_->tell_late(id, trajectories);
  if (known == late_.end()) return;
  known->told.insert(known->told.end(), trajectories.sampled.begin(), trajectories.sampled.end());
  forget_useless();
}

void Agent::forget_useless() {
  std::erase_if(late_, [this](const DrawnParameters& draw) {
    const std::optional<Draw> stored = trainer_->estimator().stored_draw(draw.id);
    return !stored || stored->count == 0;
  });
}

IterationRecord Agent::update() {
  std::unique_lock lock(mutex_);
  require(!open_.empty(), "nothing was asked for in this iteration: call ask and tell before update");
  for (std::size_t i = 0; i < open_.size(); ++i) {
    require(told_[i].size() > 0, name_of(open_[i].draw.id) + " has no trajectories yet: tell at least one");
  }
  for (const TrajectoryBatch& told : told_) trainer_->tell(told);
  IterationRecord record = trainer_->update();  // if it fails, the trainer forgets what it was told, and this does not
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (told_[i].size() == open_[i].draw.count || open_[i].parameters.empty()) continue;
    late_.push_back({.id = open_[i].draw.id,
                     .drawn = std::move(open_[i].parameters),
                     .told = std::move(told_[i].sampled),
                     .count = open_[i].draw.count});
  }
  forget_useless();
  open_.clear();
  told_.clear();
  const bool warns = endings_.see(record) && !std::exchange(warned_, true);
  lock.unlock();
  if (warns) log_warning(EarlyEndings::kWarning);
  return record;
}

Fingerprints Agent::prints_of(const AskedDraw& draw, const TrajectoryBatch& told) const {
  if (draw.draw.pilot) return {};
  return fingerprints(trainer_->policy(), draw.draw.behavior, draw.draw.spread, told);
}

Sampler Agent::make_sampler(const AskedDraw& draw, Index j) const {
  const Policy& policy = trainer_->policy();
  const StreamName name{
      .seed = configuration_.train.seed,
      .purpose = draws_parameters(configuration_) ? Purpose::kSampledParameters : Purpose::kActionNoise,
      .iteration = static_cast<std::uint32_t>(draw.draw.id.iteration),
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
