#include <algorithm>

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
  std::vector<Index> endings;
  for (const Ending ending : told.endings) endings.push_back(static_cast<Index>(ending));
  archive(name + "/endings", endings);
  if (archive.saving()) return;
  const bool sound = std::ranges::all_of(endings, [](Index ending) { return ending == 0 || ending == 1; });
  require(sound, "it has an impossible ending of a trajectory");
  told.endings.clear();
  for (const Index ending : endings) told.endings.push_back(static_cast<Ending>(ending));
}

void visit(Archive& archive, const std::string& name, DrawnParameters& draw) {
  archive(name + "/iteration", draw.id.iteration);
  archive(name + "/index", draw.id.index);
  archive(name + "/count", draw.count);
  archive(name + "/drawn", draw.drawn);
  archive(name + "/told", draw.told);
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
  Index open = as_index(open_.size()), late = as_index(late_.size());
  archive("open_draws", open);
  for (std::size_t i = 0; i < told_.size(); ++i) visit(archive, "told/" + std::to_string(i), told_[i]);
  archive("late_draws", late);
  for (std::size_t i = 0; i < late_.size(); ++i) visit(archive, "late/" + std::to_string(i), late_[i]);
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
    Index open = 0, late = 0;
    own("open_draws", open);
    if (open > 0) open_draws();
    require(as_index(open_.size()) == open, "it has another number of draws");
    for (std::size_t i = 0; i < told_.size(); ++i) {
      TrajectoryBatch told = told_[i];
      visit(own, "told/" + std::to_string(i), told);
      if (told.size() == 0) continue;
      tell_open(i, told);
    }
    own("late_draws", late);
    for (Index i = 0; i < late; ++i) {
      visit(own, "late/" + std::to_string(i), late_.emplace_back());
      const DrawnParameters& draw = late_.back();
      require(draw.count > 0 && as_index(draw.drawn.size()) % draw.count == 0 && draw.told.size() < draw.drawn.size(),
              "it has an impossible number of drawn parameters");
    }
    forget_useless();
    own.require_all_visited();
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

}  // namespace retropg::python
