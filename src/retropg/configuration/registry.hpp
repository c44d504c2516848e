#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/baseline/baseline.hpp"
#include "retropg/estimator/estimator.hpp"
#include "retropg/optimizer/optimizer.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// Something that configurations name.
struct RegistryEntry {
  std::string name;
  std::vector<std::string> aliases;
  std::string description;  // one line
};

struct EnvironmentEntry : RegistryEntry {
  std::function<EnvironmentDefinition(const Configuration&)> make;
};

/// What the algorithm and the baseline of a configuration need of its policy.
struct PolicyNeeds {
  std::string steps_for;           // who needs evidence made of steps (Capability::kSteps); empty: nobody
  bool component_credits = false;  // Capability::kComponentCredits, where the policy can have it
};
struct PolicyEntry : RegistryEntry {
  std::function<std::unique_ptr<Policy>(const Configuration&, const EnvironmentDefinition&, const PolicyNeeds&)> make;
};

/// Where randomness enters: a policy draws every action, or once per trajectory the parameters of a deterministic one.
enum class Exploration { kActions, kParameters };
/// "actions" or "parameters", as `policy.exploration` has it.
std::string name_of(Exploration exploration);

struct AlgorithmEntry : RegistryEntry {
  std::function<std::unique_ptr<Estimator>(const Configuration&, const EnvironmentDefinition&, const Policy&)> make;
  bool needs_steps = false;                  // evidence made of steps
  std::optional<Exploration> exploration{};  // the only one it runs with; unset: either
};

/// Everything known; the built-in entries first, in the order of the documentation.
const std::vector<EnvironmentEntry>& environments();
const std::vector<PolicyEntry>& policies();
const std::vector<AlgorithmEntry>& algorithms();

/// Adds your own, for this process; throws if the name is taken. To be called before training starts.
void register_environment(EnvironmentEntry entry);
void register_policy(PolicyEntry entry);
void register_algorithm(AlgorithmEntry entry);

/// Make what a configuration names; unknown names throw with the nearest known one. The environment has the
/// configuration's horizon and discount where it sets them; the policy explores as `exploration_of` says.
EnvironmentDefinition make_environment(const Configuration& configuration);
std::unique_ptr<Policy> make_policy(const Configuration& configuration, const EnvironmentDefinition& environment);
std::unique_ptr<Estimator> make_estimator(const Configuration& configuration, const EnvironmentDefinition& environment,
                                          const Policy& policy);
/// Null for "none". `credit` is the estimator's.
std::unique_ptr<Baseline> make_baseline(const Configuration& configuration, const EnvironmentDefinition& environment,
                                        const Policy& policy, Credit credit);
std::unique_ptr<Optimizer> make_optimizer(const Configuration& configuration);
AdamOptions adam_options(const Configuration& configuration);

/// The entry of the configuration's algorithm.
const AlgorithmEntry& algorithm_of(const Configuration& configuration);

/// `policy.exploration`, or what the algorithm's name says. Throws Error if the algorithm runs with the other one only.
Exploration exploration_of(const Configuration& configuration);

/// The configuration with aliases replaced by names ("rt-pg" becomes "rpg").
Configuration canonical(Configuration configuration);

}  // namespace retropg
