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

/// A thing that configurations name.
struct Entry {
  std::string name;
  std::vector<std::string> aliases;
  std::string description;  // one line
};

struct EnvironmentEntry : Entry {
  std::function<EnvironmentDefinition(const Configuration&)> make;
};
struct PolicyEntry : Entry {
  std::function<std::unique_ptr<Policy>(const Configuration&, const EnvironmentDefinition&)> make;
};

/// What an algorithm asks of the policy it is run with.
enum class PolicyNeeds {
  kNothing,
  kSteps,        // evidence made of steps
  kHyperpolicy,  // parameters drawn once a trajectory
};

struct EstimatorEntry : Entry {
  std::function<std::unique_ptr<Estimator>(const Configuration&, const EnvironmentDefinition&, const Policy&)> make;
  PolicyNeeds needs = PolicyNeeds::kNothing;
};

/// What is known; the built-in entries first, in the order of the documentation.
const std::vector<EnvironmentEntry>& environments();
const std::vector<PolicyEntry>& policies();
const std::vector<EstimatorEntry>& algorithms();

/// Adds your own, for this process; throws if the name is taken. To be called before training starts.
void register_environment(EnvironmentEntry entry);
void register_policy(PolicyEntry entry);
void register_algorithm(EstimatorEntry entry);

/// Make what a configuration names; unknown names throw with the nearest known one. The environment has the
/// configuration's horizon and discount where it sets them; the policy is a hyperpolicy if the algorithm draws
/// parameters.
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
const EstimatorEntry& algorithm_of(const Configuration& configuration);

/// The settings of the hyperpolicy, if the configuration's algorithm draws parameters.
std::optional<HyperpolicySettings> hyperpolicy_of(const Configuration& configuration);

/// The configuration with aliases replaced by names ("rt-pg" becomes "rpg").
Configuration canonical(Configuration configuration);

}  // namespace retropg
