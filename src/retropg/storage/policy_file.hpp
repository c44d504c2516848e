#pragma once

#include <filesystem>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/configuration/registry.hpp"

namespace retropg {

/// A policy as a file holds it: what acting needs, and the environment it was trained on.
struct SavedPolicy {
  std::string environment;  // id
  PolicySettings settings;
  Exploration exploration = Exploration::kActions;
  HyperpolicySettings hyperpolicy{};  // if it explores in parameters
  Index observation_size = 0;
  Index action_size = 0;
  std::vector<double> parameters;
};

/// Writes one safetensors file; docs/files.md describes it.
void save_policy(const std::filesystem::path& path, const SavedPolicy& policy);

/// The policy of a configuration at theta.
SavedPolicy saved_policy(const Configuration& configuration, const EnvironmentDefinition& environment,
                         Parameters theta);

/// Throws Error that names the file and what is wrong with it.
SavedPolicy load_policy(const std::filesystem::path& path);

/// Makes the configuration's policy the saved one.
void take_policy(Configuration& configuration, const SavedPolicy& saved);

}  // namespace retropg
