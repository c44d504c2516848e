#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "retropg/rollout/collector.hpp"
#include "retropg/training/configuration.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {

/// What a run came to.
struct RunResult {
  Index iterations = 0;
  Index trajectories = 0;
  Index steps = 0;
  double seconds = 0.0;
  double final_return = 0.0;  // mean return of the last batch
  double best_return = 0.0;   // of the best one
  std::vector<double> best, last, output;
  bool interrupted = false;  // the observer ended it
};

/// Sees every record; false ends the run after this iteration.
using Observer = std::function<bool(const IterationRecord&)>;

/// The most iterations the configuration allows.
Index planned_iterations(const Configuration& configuration);

/// A trainer with everything the configuration names, not yet started. Throws if the window would not fit into memory.
Trainer make_trainer(const Configuration& configuration);

/// Answers every draw of the iteration under way by simulation; its trajectories are numbered through all draws.
void answer(Trainer& trainer, Collector& collector);

/// Trains as configured: `ask` is answered by simulation.
RunResult train(const Configuration& configuration, const Observer& observer = {});

}  // namespace retropg
