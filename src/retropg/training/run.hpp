#pragma once

#include <functional>
#include <vector>

#include "retropg/rollout/collector.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {

/// The outcome of a run.
struct RunResult {
  Index iterations = 0;
  Index trajectories = 0;
  Index steps = 0;
  Index dropped = 0;  // trajectories left out because they are broken; included in the two above
  Index skipped = 0;  // updates, see IterationRecord
  double seconds = 0.0;
  double final_return = 0.0;  // mean return of the last batch
  double best_return = 0.0;   // mean return of the best batch
  std::vector<double> best, last, output;
  std::string output_name;                       // see Trainer
  EstimatedReturn output_return{};               // see Trainer; nothing is known with exploration in parameters
  std::optional<EstimatedReturn> mean_return{};  // of the output acting with its mean, from episodes that count
  bool solved = false;                           // see Trainer
  bool interrupted = false;                      // the observer stopped the run
  std::optional<Evaluation> last_evaluation{};   // if the run is complete, and no record has it
};

/// Called with every record; returning false stops the run after that iteration.
using Observer = std::function<bool(const IterationRecord&)>;

/// Simulates every draw of the current iteration, then passes the results to the trainer: if a simulation throws, the
/// trainer has been told nothing. Trajectories are numbered across all draws. The collector is for the policy after a
/// pilot: throws Error if the trainer still wants one.
void answer(Trainer& trainer, Collector& collector);

/// What a run that ended here would return.
RunResult result_so_far(const Trainer& trainer);

/// Iterates until the trainer has finished or the observer stops the run.
RunResult run(Trainer& trainer, Collector& collector, const Observer& observer = {});

}  // namespace retropg
