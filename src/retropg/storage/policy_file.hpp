#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// What `SavedPolicy::environment` is if the policy was not trained by a run.
inline constexpr const char* kNoEnvironment = "none";

/// The contents of a policy file: what acting requires, and the environment the policy was trained on.
struct SavedPolicy {
  std::string environment;  // id, or kNoEnvironment
  // Unset or empty: the environment's defaults, as files of earlier versions have it.
  std::optional<Index> horizon{};
  std::optional<double> discount{};
  bool clip = false;
  LqrSettings lqr{};
  BanditSettings bandit{};
  PolicySettings settings;
  Exploration exploration = Exploration::kActions;
  HyperpolicySettings hyperpolicy{};  // if it explores in parameters
  Index observation_size = 0;
  Index action_size = 0;
  Index action_count = 0;                    // discrete actions; 0: continuous
  std::vector<ActionRange> action_ranges{};  // of the environment; empty: none, as in files of earlier versions
  std::vector<double> parameters;
};

/// Writes one safetensors file; docs/files.md describes it.
void save_policy(const Place& path, const SavedPolicy& policy);

/// The policy of a configuration at theta, ready to be saved.
SavedPolicy saved_policy(const Configuration& configuration, const EnvironmentDefinition& environment,
                         Parameters theta);

/// Throws an Error that names the file and what is wrong with it.
SavedPolicy load_policy(const Place& path);

/// The same from the bytes of a file of this name.
SavedPolicy parse_policy(std::string_view bytes, const std::string& name);

/// Makes the saved policy.
std::unique_ptr<Policy> make_policy(const SavedPolicy& saved);

/// Sets the configuration's environment to the one the policy was trained on.
void take_environment(Configuration& configuration, const SavedPolicy& saved);

/// Sets the configuration's policy to the saved one.
void take_policy(Configuration& configuration, const SavedPolicy& saved);

}  // namespace retropg
