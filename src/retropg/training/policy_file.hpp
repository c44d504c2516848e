#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/training/configuration.hpp"

namespace retropg {

/// Saves what acting needs: architecture, scaling, variance and parameters, with the environment they were trained on.
/// One safetensors file; docs/files.md describes it.
void save_policy(const std::filesystem::path& path, const PolicySettings& settings,
                 const EnvironmentDefinition& environment, Parameters theta);

struct SavedPolicy {
  std::string environment;  // id
  PolicySettings settings;
  Index observation_size = 0;
  Index action_size = 0;
  std::vector<double> parameters;
};

/// Throws Error that names the file and what is wrong with it.
SavedPolicy load_policy(const std::filesystem::path& path);

}  // namespace retropg
