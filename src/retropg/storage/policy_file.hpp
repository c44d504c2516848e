#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// Saves what acting needs: architecture, scaling, variance and parameters, with the environment they were trained on;
/// of a policy that draws its parameters also how. One safetensors file; docs/files.md describes it.
void save_policy(const std::filesystem::path& path, const PolicySettings& settings,
                 const EnvironmentDefinition& environment, Parameters theta,
                 const std::optional<HyperpolicySettings>& hyperpolicy = std::nullopt);

struct SavedPolicy {
  std::string environment;  // id
  PolicySettings settings;
  std::optional<HyperpolicySettings> hyperpolicy{};  // of a policy that draws its parameters
  Index observation_size = 0;
  Index action_size = 0;
  std::vector<double> parameters;
};

/// Throws Error that names the file and what is wrong with it.
SavedPolicy load_policy(const std::filesystem::path& path);

/// Makes the configuration's policy the saved one. Whether parameters are drawn is a matter of the algorithm: if the
/// configuration's does otherwise, the plainest one that does likewise takes its place.
void take_policy(Configuration& configuration, const SavedPolicy& saved);

}  // namespace retropg
