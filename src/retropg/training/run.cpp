#include "retropg/training/run.hpp"

#include "retropg/core/error.hpp"

namespace retropg {

void answer(Trainer& trainer, Collector& collector) {
  struct Answer {
    Collected collected{};
    TrajectoryBatch steps{};
  };
  require(!trainer.wants_pilot(), "the trainer wants a pilot trajectory before the first iteration");
  std::vector<Answer> answers;
  Index first = 0;
  for (const Draw& draw : trainer.ask()) {
    Answer& answer = answers.emplace_back();
    if (trainer.wants_steps()) {
      answer.steps = collector.collect_steps(draw.behavior, trainer.iteration(), first, draw.count, draw.spread,
                                             &answer.collected.dropped);
    } else {
      answer.collected = collector.collect(draw.behavior, trainer.iteration(), first, draw.count, draw.spread);
    }
    first += draw.count;
  }
  for (Answer& answer : answers) {
    const Dropped dropped = answer.collected.dropped;
    if (trainer.wants_steps()) {
      trainer.tell(answer.steps, dropped);
    } else {
      trainer.tell({.evidence = std::move(answer.collected.evidence),
                    .returns = std::move(answer.collected.returns),
                    .lengths = std::move(answer.collected.lengths)},
                   dropped);
    }
  }
}

RunResult run(Trainer& trainer, Collector& collector, const Observer& observer) {
  RunResult result;
  while (!trainer.finished() && !result.interrupted) {
    try {
      answer(trainer, collector);
    } catch (const Interrupted&) {  // the trainer is as it was before the iteration
      result.interrupted = true;
      break;
    }
    const IterationRecord record = trainer.update();
    result.final_return = record.return_mean;
    if (observer && !observer(record)) result.interrupted = true;
  }
  RunResult whole = result_so_far(trainer);
  whole.final_return = result.final_return;
  whole.interrupted = result.interrupted;
  return whole;
}

RunResult result_so_far(const Trainer& trainer) {
  RunResult result;
  result.iterations = trainer.iteration() - 1;
  result.trajectories = trainer.trajectories();
  result.steps = trainer.steps();
  result.dropped = trainer.dropped();
  result.skipped = trainer.skipped();
  result.best_return = trainer.best_return();
  result.best.assign(trainer.best().begin(), trainer.best().end());
  result.last.assign(trainer.parameters().begin(), trainer.parameters().end());
  result.output.assign(trainer.output().begin(), trainer.output().end());
  result.output_name = trainer.output_name();
  result.output_return = trainer.output_return();
  result.solved = trainer.solved();
  return result;
}

}  // namespace retropg
