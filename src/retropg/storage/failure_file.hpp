#pragma once

#include <cstdint>

#include "retropg/configuration/train.hpp"
#include "retropg/rollout/broken_trajectory.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// Writes down a broken trajectory with all that is needed to see it break again; docs/files.md describes the file.
void save_failure(const Place& path, const BrokenTrajectory& failure, std::uint64_t seed);

/// What is needed to simulate the trajectory again.
struct SavedFailure {
  std::string message;
  std::uint64_t seed = 0;
  Index iteration = 0, trajectory = 0, step = 0;
  double spread = 1.0;
  std::vector<double> behavior;
};

/// Throws an Error that names the file and what is wrong with it.
SavedFailure load_failure(const Place& path);

/// Simulates the trajectory again in the environment and with the policy of the run. Returns what is broken in it;
/// empty if nothing is.
std::string breaks_again(TrainingRun& run, const SavedFailure& failure);

}  // namespace retropg
