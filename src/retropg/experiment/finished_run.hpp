#pragma once

#include "retropg/statistics/curve.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {

/// What an experiment needs of a run.
struct FinishedRun {
  Curve curve;
  double seconds = 0.0;
  Index steps = 0;
};

/// Adds an iteration to a curve: collected trajectories and mean return. One that sampled nothing from the current
/// policy has no return and adds no point.
void add_point(Curve& curve, double trajectories, double return_mean);

/// Reads a run that is done from its progress.csv and timing.jsonl. Numbers in them are in the shortest form that reads
/// back exactly, so the curve has the bits of the run. Throws an Error that names the file if one is missing, is no
/// such file or has lost lines.
FinishedRun read_finished_run(const Place& folder);

}  // namespace retropg
