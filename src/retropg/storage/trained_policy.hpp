#pragma once

#include <filesystem>
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

/// Loads from a run folder (the policy its train.output asks for, with the run's configuration) or from a policy file
/// (with its environment's own horizon and discount). Throws an Error that names the file and what is wrong with it.
TrainedPolicy load_trained_policy(const std::filesystem::path& path);

/// Loads a policy file of a run. Throws an Error that names the file and what is wrong with it, also if the policy is
/// not one for the run's environment and exploration.
TrainedPolicy load_policy_of_run(const Configuration& run, const std::filesystem::path& file);

/// The discounted return of every episode.
std::vector<double> evaluate(const TrainedPolicy& trained, const EvaluationOptions& options);

}  // namespace retropg
