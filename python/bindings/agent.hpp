#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "acting_policy.hpp"
#include "plant.hpp"
#include "retropg/experiment/resolve.hpp"
#include "retropg/training/early_endings.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg::python {

/// A draw of the trainer, and what names its random numbers.
struct AskedDraw {
  Index first = 0;  // number of its first trajectory in the iteration
  Draw draw{};
  std::vector<double> parameters{};  // drawn for its trajectories, one after the other; empty if actions are drawn
};

/// A draw with the parameters of the trajectories that were told.
struct DrawnParameters {
  DrawId id{};
  std::vector<double> drawn{}, told{};
  Index count = 0;  // trajectories that were asked for

  /// Throws Error if trajectories that are told now did not act with parameters that are left, or do not say so.
  void check(const TrajectoryBatch& more) const;
};

/// "draw 0 of iteration 3"
std::string name_of(const DrawId& id);

/// Ask and tell for Python: a trainer whose draws have numbers and may be answered in parts. What is told waits here
/// until `update`, so that a state can be saved at any time and a refused call changes nothing. What comes after its
/// iteration was updated goes to the trainer at once. Any thread may call.
class Agent {
 public:
  /// Throws Error on wrong settings, and on those that an agent does not read.
  Agent(const Given& given, PlantShape shape);
  /// From what `state` returned; `name` is its file in errors.
  Agent(std::string_view bytes, const std::string& name);

  const PlantShape& shape() const { return shape_; }
  const EnvironmentDefinition& plant() const { return plant_; }
  const Configuration& configuration() const { return configuration_; }

  /// The draws of this iteration; unchanged until `update`.
  std::vector<AskedDraw> ask();
  /// Adds trajectories to those of a draw. Throws Error, and adds none, if they do not belong to it.
  void tell(const DrawId& id, const TrajectoryBatch& trajectories);
  IterationRecord update();
  /// Everything, also what was told since the last update.
  std::string state();

  /// Acts for trajectory `j` of a draw that is not a pilot.
  Sampler sampler(const AskedDraw& draw, Index j);
  /// From which the pilot's actions are drawn.
  RandomStream pilot_stream() const;

  bool finished();
  Index iteration();
  Index trajectories();
  std::vector<double> parameters();
  void set_parameters(std::vector<double> theta);
  /// "returned", "best" or "final".
  ActingPolicy policy(const std::string& which);

 private:
  void make_trainer();
  void open_draws();
  void tell_open(std::size_t i, const TrajectoryBatch& trajectories);
  void tell_late(const DrawId& id, const TrajectoryBatch& trajectories);
  void forget_useless();
  Fingerprints prints_of(const AskedDraw& draw, const TrajectoryBatch& told) const;
  Sampler make_sampler(const AskedDraw& draw, Index j) const;

  std::mutex mutex_;
  PlantShape shape_;
  Configuration configuration_;
  EnvironmentDefinition plant_;
  std::unique_ptr<Trainer> trainer_;
  std::vector<AskedDraw> open_;        // the draws of this iteration; empty before `ask`
  std::vector<TrajectoryBatch> told_;  // of these
  EarlyEndings endings_;
  bool warned_ = false;                // of them
  std::vector<DrawnParameters> late_;  // of earlier draws with missing trajectories; empty if actions are drawn
};

}  // namespace retropg::python
