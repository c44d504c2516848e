#pragma once

#include "retropg/storage/run_folder.hpp"

namespace retropg::app {

/// Trains in a folder, with progress on stderr, until the run is done or a signal stops it; then prints the result.
/// Returns the exit status.
int train_in(TrainingRun& run, RunFolder& folder, bool json);

}  // namespace retropg::app
