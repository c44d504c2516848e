#include "retropg/training/run.hpp"

namespace retropg {

void answer(Trainer& trainer, Collector& collector) {
  Index first = 0;
  for (const Draw& draw : trainer.ask()) {
    if (trainer.wants_steps()) {
      trainer.tell(collector.collect_steps(draw.behavior, trainer.iteration(), first, draw.count, draw.spread));
    } else {
      Collected collected = collector.collect(draw.behavior, trainer.iteration(), first, draw.count, draw.spread);
      trainer.tell({.evidence = std::move(collected.evidence),
                    .returns = std::move(collected.returns),
                    .lengths = std::move(collected.lengths)});
    }
    first += draw.count;
  }
}

RunResult run(Trainer& trainer, Collector& collector, const Observer& observer) {
  RunResult result;
  while (!trainer.finished() && !result.interrupted) {
    answer(trainer, collector);
    const IterationRecord record = trainer.update();
    result.final_return = record.return_mean;
    if (observer && !observer(record)) result.interrupted = true;
  }
  result.iterations = trainer.iteration() - 1;
  result.trajectories = trainer.trajectories();
  result.steps = trainer.steps();
  result.best_return = trainer.best_return();
  result.best.assign(trainer.best().begin(), trainer.best().end());
  result.last.assign(trainer.parameters().begin(), trainer.parameters().end());
  result.output.assign(trainer.output().begin(), trainer.output().end());
  return result;
}

}  // namespace retropg
