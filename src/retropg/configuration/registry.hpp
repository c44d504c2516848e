#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/baseline/baseline.hpp"
#include "retropg/estimator/estimator.hpp"
#include "retropg/optimizer/optimizer.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// Something that a configuration refers to by name.
struct RegistryEntry {
  std::string name;
  std::vector<std::string> aliases;
  std::string description;  // one line
  // The keys that change what it does, given the others (see `reads`); an empty function: any may.
  std::function<std::vector<std::string>(const Configuration&)> keys{};
};

/// Whether the name is the entry's or one of its aliases, in any case of its letters.
bool is_called(const RegistryEntry& entry, const std::string& name);

struct EnvironmentEntry : RegistryEntry {
  std::function<EnvironmentDefinition(const Configuration&)> make;
  bool discrete = false;  // actions are discrete (EnvironmentDefinition::action_count)
};

/// `env.id` of an environment that supplies trajectories, but cannot be simulated.
inline constexpr std::string_view kPlant = "plant";
/// Whether a name is not one of the registry, but that of an environment which the caller hands over: kPlant, and every
/// name with a prefix. It does not say whether actions are discrete, so a configuration for discrete ones must name its
/// policy.
bool is_handed_over(const std::string& name);
/// Whether it is one that a Python program opens: "gymnasium:Pendulum-v1", "python:MyPlant".
bool comes_from_python(const std::string& name);

/// What the algorithm and the baseline of a configuration require of its policy.
struct PolicyNeeds {
  // Name of the algorithm or baseline that needs step evidence (Capability::kSteps), for error messages; empty if none
  // does.
  std::string steps_for;
  bool component_credits = false;  // Capability::kComponentCredits, if the policy supports it
};
struct PolicyEntry : RegistryEntry {
  std::function<std::unique_ptr<Policy>(const Configuration&, const EnvironmentDefinition&, const PolicyNeeds&)> make;
  bool discrete = false;  // for environments with discrete actions only; else for the others only
};

/// Where randomness enters: a policy draws every action, or the parameters of a deterministic policy are drawn once per
/// trajectory.
enum class Exploration { kActions, kParameters };
/// "actions" or "parameters", as in `policy.exploration`.
std::string name_of(Exploration exploration);

struct AlgorithmEntry : RegistryEntry {
  std::function<std::unique_ptr<Estimator>(const Configuration&, const EnvironmentDefinition&, const Policy&)> make;
  bool needs_steps = false;                  // needs evidence made of steps
  std::optional<Exploration> exploration{};  // the only one it supports; unset: both
  bool learns_deviation = false;             // of a hyperpolicy, whatever is configured
};

/// All registered entries: first the built-in ones, in the order of the documentation. What is returned never changes
/// and stays for good; an entry that is registered later is in what is returned later.
const std::vector<EnvironmentEntry>& environments();
const std::vector<PolicyEntry>& policies();
const std::vector<AlgorithmEntry>& algorithms();

/// Adds an entry to the registry of this process, at any time and from any thread; throws Error if the name or an alias
/// is taken or has a slash or a control character, or the name or `make` is missing.
void register_environment(EnvironmentEntry entry);
void register_policy(PolicyEntry entry);
void register_algorithm(AlgorithmEntry entry);

/// These make the objects that a configuration names; an unknown name throws an Error that suggests the nearest known
/// one, and so does a policy that does not suit the environment's actions. The configuration's horizon and discount, if
/// set, override the environment's; the policy explores as `exploration_of` says.
EnvironmentDefinition make_environment(const Configuration& configuration);
/// The one that is handed over, under the name that the configuration has for it; without one, as above.
EnvironmentDefinition make_environment(const Configuration& configuration,
                                       const std::optional<EnvironmentDefinition>& handed_over);
std::unique_ptr<Policy> make_policy(const Configuration& configuration, const EnvironmentDefinition& environment);
std::unique_ptr<Estimator> make_estimator(const Configuration& configuration, const EnvironmentDefinition& environment,
                                          const Policy& policy);
/// Null for "none". `credit` is the credit of the estimator.
std::unique_ptr<Baseline> make_baseline(const Configuration& configuration, const EnvironmentDefinition& environment,
                                        const Policy& policy, Credit credit);
std::unique_ptr<Optimizer> make_optimizer(const Configuration& configuration);
AdamOptions adam_options(const Configuration& configuration);

/// What an unset `policy.kind` stands for.
std::string default_policy(bool discrete);

/// The registry entry of the configuration's algorithm.
const AlgorithmEntry& algorithm_of(const Configuration& configuration);

/// Whether another value of a key could change how a run learns. Only the entries that the configuration names count:
/// `algo.window` is not read by gpomdp, unless its baseline does.
bool reads(const Configuration& configuration, std::string_view key);

/// Whether a key has any effect on a run: as `reads` says, or on how it is carried out and what is written.
bool has_effect(const Configuration& configuration, std::string_view key);

/// `policy.exploration` if set, else what the algorithm requires, else actions. Throws Error if the algorithm does not
/// support it.
Exploration exploration_of(const Configuration& configuration);

/// The configuration with aliases and other spellings replaced by names ("rt-pg" and "RPG" become "rpg"), with a policy
/// that suits the environment if none is named, and with what its algorithm insists on.
Configuration canonical(Configuration configuration);

/// The same for an environment that is handed over: it names the environment, with the prefix "own:" if it has none of
/// its own, unless the configuration does.
Configuration canonical(Configuration configuration, const std::optional<EnvironmentDefinition>& handed_over);

}  // namespace retropg
