#include <cmath>

#include "agent.hpp"
#include "retropg/core/archive.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/agent_file.hpp"

namespace retropg::python {
namespace {

// What the trainer's own state does not have; its names begin with other words.
constexpr const char* kOwn = "agent/";

void visit(Archive& archive, PlantShape& shape) {
  archive("observation_size", shape.observation_size);
  archive("action_size", shape.action_size);
  archive("action_count", shape.action_count);
  archive("action_low", shape.action_low);
  archive("action_high", shape.action_high);
}

void visit(Archive& archive, const std::string& name, TrajectoryBatch& told) {
  archive(name + "/observations", told.observations);
  archive(name + "/actions", told.actions);
  archive(name + "/rewards", told.rewards);
  archive(name + "/parameters", told.sampled);
  archive(name + "/first_step", told.first_step);
}

/// Takes the entries of this file's own out of a state.
SavedState own_entries(SavedState& state) {
  SavedState own;
  const auto take = [](auto& from, auto& to) {
    for (auto entry = from.begin(); entry != from.end();) {
      if (!entry->first.starts_with(kOwn)) {
        ++entry;
        continue;
      }
      to.insert(std::move(*entry));
      entry = from.erase(entry);
    }
  };
  take(state.numbers, own.numbers);
  take(state.counts, own.counts);
  return own;
}

}  // namespace

std::string Agent::state() {
  const std::lock_guard lock(mutex_);
  Archive archive(Archive::Mode::kSave);
  trainer_->state(archive);
  archive.scope(kOwn);
  visit(archive, shape_);
  Index first = open_.empty() ? next_id_ : open_.front().id, open = as_index(open_.size());
  archive("first_draw", first);
  archive("open_draws", open);
  for (std::size_t i = 0; i < told_.size(); ++i) visit(archive, "told/" + std::to_string(i), told_[i]);
  return to_bytes(SavedAgent{.configuration = to_toml(configuration_), .state = archive.state()});
}

Agent::Agent(std::string_view bytes, const std::string& name) {
  SavedAgent saved = parse_agent(bytes, name);
  try {
    configuration_ = parse_configuration(saved.configuration, "its configuration");
    Archive own(own_entries(saved.state));
    own.scope(kOwn);
    visit(own, shape_);
    make_trainer();
    Archive archive(std::move(saved.state));
    trainer_->state(archive);
    Index open = 0;
    own("first_draw", next_id_);
    own("open_draws", open);
    require(next_id_ >= 0 && next_id_ <= kMostSaved, "the number of its next draw is impossible");
    if (open > 0) open_draws();
    require(as_index(open_.size()) == open, "it has another number of draws");
    for (std::size_t i = 0; i < told_.size(); ++i) {
      TrajectoryBatch told = told_[i];
      visit(own, "told/" + std::to_string(i), told);
      if (told.size() == 0) continue;
      require(told.size() <= open_[i].draw.count, "it has more trajectories than were asked for");
      check(told, shape_.observation_size, shape_.action_size, plant_.horizon);
      check_parameters(open_[i], told_[i], told);
      told_[i] = std::move(told);
    }
    own.require_all_visited();
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

}  // namespace retropg::python
