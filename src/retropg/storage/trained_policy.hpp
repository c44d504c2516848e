#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "retropg/storage/policy_file.hpp"
#include "retropg/training/evaluate.hpp"

namespace retropg {

/// A policy loaded from disk, with the configuration of the environment it was trained on.
struct TrainedPolicy {
  std::filesystem::path file;
  Configuration configuration;
  SavedPolicy saved;
};

/// Loads from a run folder, with the run's environment, or from a policy file, which has the same. `choice` is a policy
/// of the run folder (best, final) or a file to evaluate in the run's environment; unset: what train.output says.
/// Throws an Error that names the file and what is wrong with it.
TrainedPolicy load_trained_policy(const Place& path, const std::optional<std::string>& choice = {});

/// Loads a policy file of a run. Throws an Error that names the file and what is wrong with it, also if the policy is
/// not one for the run's environment and exploration.
TrainedPolicy load_policy_of_run(const Configuration& run, const Place& file);

/// The discounted return of every episode.
std::vector<double> evaluate(const TrainedPolicy& trained, const EvaluationOptions& options);

}  // namespace retropg
