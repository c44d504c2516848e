#include <algorithm>

#include "retropg/configuration/registry.hpp"

namespace retropg {
namespace {

bool is_in(std::string_view key, std::string_view section) {
  return key.size() > section.size() && key.starts_with(section) && key[section.size()] == '.';
}

template <typename Entries>
const RegistryEntry& entry_of(const Entries& entries, const std::string& name) {
  return *std::ranges::find(entries, name, &RegistryEntry::name);
}

bool names(const RegistryEntry& entry, const Configuration& configuration, std::string_view key) {
  if (!entry.keys) return true;
  const std::vector<std::string> keys = entry.keys(configuration);
  return std::ranges::find(keys, key) != keys.end();
}

bool baseline_reads(const Configuration& configuration, std::string_view key) {
  const std::string& name = configuration.algo.baseline;
  const bool fits = name == "value" || name == "value-fresh";
  return (key == "baseline.rate" && name == "running-mean") ||
         ((key == "baseline.ridge" || key == "algo.window") && fits);
}

/// Like `exploration_of`, also where the algorithm does not support what is given.
bool explores_in_actions(const Configuration& configuration) {
  const std::optional<Exploration> required = algorithm_of(configuration).exploration;
  return required ? required == Exploration::kActions
                  : configuration.policy.exploration != name_of(Exploration::kParameters);
}

bool policy_reads(const Configuration& configuration, std::string_view key) {
  const bool actions = explores_in_actions(configuration);
  const auto policy = std::ranges::find(policies(), *configuration.policy.kind, &RegistryEntry::name);
  const bool deviates = !actions || !policy->discrete;  // draws something with a standard deviation
  if (key == "policy.kind") return true;
  if (key == "policy.exploration") return !algorithm_of(configuration).exploration;
  if (key == "policy.evidence") return false;  // the same up to rounding
  if (key == "policy.scaling") return configuration.policy.scale.empty();
  if (key == "policy.width") return deviates;
  if (key == "policy.variance") return actions && deviates && !configuration.policy.width;
  if (key == "policy.learn_deviation" && !actions) return false;
  if (key == "hyperpolicy.variance" && configuration.policy.width) return false;
  if (key == "hyperpolicy.learn_deviation" && algorithm_of(configuration).learns_deviation) return false;
  if (is_in(key, "hyperpolicy")) return !actions;
  return names(*policy, configuration, key);
}

}  // namespace

bool reads(const Configuration& given, std::string_view key) {
  const Configuration configuration = canonical(given);
  if (key == "env.id" || key == "algo.name" || key == "algo.baseline") return true;
  if (is_in(key, "train") && key != "train.until_solved") {
    return key == "train.seed" || key == "train.budget" || key == "train.iterations" || key == "train.steps";
  }
  if (is_in(key, "checkpoint") || is_in(key, "log")) return false;
  if (is_in(key, "env") || is_in(key, "lqr") || is_in(key, "bandit")) {
    if (is_handed_over(configuration.env.id)) return key == "env.horizon" || key == "env.discount";
    return names(entry_of(environments(), configuration.env.id), configuration, key);
  }
  if (is_in(key, "policy") || is_in(key, "hyperpolicy")) return policy_reads(configuration, key);
  if (key == "optimizer.trust" && !explores_in_actions(configuration)) return false;
  return baseline_reads(configuration, key) || names(algorithm_of(configuration), configuration, key);
}

bool has_effect(const Configuration& configuration, std::string_view key) {
  if (key == "train.eval_episodes") return configuration.train.eval_every > 0;
  if (key == "train.until_solved") return reads(configuration, key);
  if (is_in(key, "train") || is_in(key, "checkpoint") || is_in(key, "log")) return true;
  if (key == "policy.evidence") return explores_in_actions(configuration);
  return reads(configuration, key);
}

}  // namespace retropg
