#include "retropg/configuration/registry.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/environment/clipped.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/configuration/builtin.hpp"
#include "retropg/configuration/plant.hpp"

namespace retropg {
namespace {

std::vector<EnvironmentEntry>& environment_table() {
  static std::vector<EnvironmentEntry> table = builtin_environments();
  return table;
}

std::vector<PolicyEntry>& policy_table() {
  static std::vector<PolicyEntry> table = builtin_policies();
  return table;
}

std::vector<AlgorithmEntry>& algorithm_table() {
  static std::vector<AlgorithmEntry> table = builtin_algorithms();
  return table;
}

template <typename E>
std::vector<std::string> names(const std::vector<E>& table) {
  std::vector<std::string> result;
  for (const E& entry : table) {
    result.push_back(entry.name);
    result.insert(result.end(), entry.aliases.begin(), entry.aliases.end());
  }
  return result;
}

template <typename E>
const E& find(const std::vector<E>& table, const char* what, const std::string& name) {
  for (const E& entry : table) {
    if (is_called(entry, name)) return entry;
  }
  throw Error(unknown_name_message(what, name, names(table)));
}

/// Names become parts of files' names and of messages; only an id of Gymnasium has a slash.
void require_plain(const char* what, const std::string& name) {
  const bool slash = name.find('/') != std::string::npos && !comes_from_python(name);
  const bool control =
      std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
  require(!slash && !control, std::string(what) + " '" + one_line(name, 60) + "': a registered name has no " +
                                  (slash ? "slashes" : "line breaks or other control characters"));
}

template <typename E>
void add(std::vector<E>& table, const char* what, E entry) {
  require(!entry.name.empty() && entry.make != nullptr,
          std::string("a registered ") + what + " needs a name and a function that makes it");
  for (const std::string& name : names(std::vector<E>{entry})) {
    require_plain(what, name);
    require(std::ranges::none_of(table, [&](const E& other) { return is_called(other, name); }),
            std::string(what) + " '" + name + "' is already registered");
  }
  table.push_back(std::move(entry));
}

const EnvironmentEntry& environment_of(const Configuration& configuration) {
  const std::string& name = configuration.env.id;
  require(has_environment(name) || !comes_from_python(name),
          "environment '" + name + "' comes from Python: open it there, with retropg.resume or retropg.train");
  return find(environments(), "environment", name);
}

/// The policy that a configuration names, else the one for such actions.
const PolicyEntry& policy_of(const Configuration& configuration, bool discrete) {
  return find(policies(), "policy", configuration.policy.kind.value_or(default_policy(discrete)));
}

void require_suitable(const PolicyEntry& policy, const EnvironmentDefinition& environment) {
  const bool discrete = environment.action_count > 0;
  require(policy.discrete || !discrete, policy.name + " draws continuous actions, but " + environment.id + " has " +
                                            std::to_string(environment.action_count) + " discrete ones: use " +
                                            default_policy(true) + ", or leave policy.kind unset");
  require(!policy.discrete || discrete, policy.name + " draws discrete actions, but those of " + environment.id +
                                            " are continuous: use " + default_policy(false) +
                                            ", or leave policy.kind unset");
}

}  // namespace

bool is_called(const RegistryEntry& entry, const std::string& name) {
  return same_name(entry.name, name) ||
         std::ranges::any_of(entry.aliases, [&](const std::string& alias) { return same_name(alias, name); });
}

bool has_environment(const std::string& name) {
  return std::ranges::any_of(environments(), [&](const auto& entry) { return is_called(entry, name); });
}

bool comes_from_python(const std::string& name) {
  return name.starts_with("gymnasium:") || name.starts_with("python:");
}

const std::vector<EnvironmentEntry>& environments() {
  return environment_table();
}
const std::vector<PolicyEntry>& policies() {
  return policy_table();
}
const std::vector<AlgorithmEntry>& algorithms() {
  return algorithm_table();
}

void register_environment(EnvironmentEntry entry) {
  std::vector<EnvironmentEntry> table = environment_table();  // a refused entry must not cost the one it would replace
  if (entry.replaceable) {
    std::erase_if(table, [&](const EnvironmentEntry& other) { return other.replaceable && other.name == entry.name; });
  }
  add(table, "environment", std::move(entry));
  environment_table() = std::move(table);
}
void register_policy(PolicyEntry entry) {
  add(policy_table(), "policy", std::move(entry));
}
void register_algorithm(AlgorithmEntry entry) {
  add(algorithm_table(), "algorithm", std::move(entry));
}

EnvironmentDefinition make_environment(const Configuration& configuration) {
  const EnvironmentEntry& entry = environment_of(configuration);
  EnvironmentDefinition environment = entry.make(configuration);
  environment.horizon = configuration.env.horizon.value_or(environment.horizon);
  environment.discount = configuration.env.discount.value_or(environment.discount);
  check(environment);
  require(entry.discrete == (environment.action_count > 0),
          "environment '" + entry.name + "' has " + std::to_string(environment.action_count) +
              " discrete actions, and its entry of the registry says otherwise");
  return configuration.env.clip ? clipped(std::move(environment)) : environment;
}

std::string default_policy(bool discrete) {
  return discrete ? "softmax-linear" : "linear-gaussian";
}

const AlgorithmEntry& algorithm_of(const Configuration& configuration) {
  return find(algorithms(), "algorithm", configuration.algo.name);
}

std::string name_of(Exploration exploration) {
  return exploration == Exploration::kActions ? "actions" : "parameters";
}

Exploration exploration_of(const Configuration& configuration) {
  const AlgorithmEntry& algorithm = algorithm_of(configuration);
  const std::optional<std::string>& given = configuration.policy.exploration;
  if (!given) return algorithm.exploration.value_or(Exploration::kActions);
  const Exploration exploration =
      *given == name_of(Exploration::kParameters) ? Exploration::kParameters : Exploration::kActions;
  require(!algorithm.exploration || algorithm.exploration == exploration,
          algorithm.name + " explores in " + name_of(algorithm.exploration.value_or(exploration)) +
              ": leave policy.exploration unset, or use another algorithm");
  return exploration;
}

std::unique_ptr<Policy> make_policy(const Configuration& configuration, const EnvironmentDefinition& environment) {
  const PolicyEntry& entry = policy_of(configuration, environment.action_count > 0);
  require_suitable(entry, environment);
  const AlgorithmEntry& algorithm = algorithm_of(configuration);
  if (exploration_of(configuration) == Exploration::kParameters) {
    require(configuration.policy.evidence == "auto", "policy.evidence = \"" + configuration.policy.evidence +
                                                         "\" is for policies that draw actions; " + algorithm.name +
                                                         " draws parameters and stores those: use \"auto\"");
    require(!configuration.policy.learn_deviation,
            "policy.learn_deviation is for policies that draw actions; " + algorithm.name + " draws parameters" +
                (algorithm.learns_deviation ? " and always learns their deviations: leave it out"
                                            : ": use hyperpolicy.learn_deviation"));
    return hyperpolicy(entry.make(configuration, environment, {}),
                       {.variance = configuration.hyperpolicy.variance,
                        .learn_deviation = configuration.hyperpolicy.learn_deviation || algorithm.learns_deviation});
  }
  PolicyNeeds needs;
  if (algorithm.needs_steps) needs.steps_for = algorithm.name;
  if (configuration.algo.baseline == "peters") {
    needs.steps_for = "algo.baseline = \"peters\"";
    needs.component_credits = true;
  }
  return entry.make(configuration, environment, needs);
}

std::unique_ptr<Estimator> make_estimator(const Configuration& configuration, const EnvironmentDefinition& environment,
                                          const Policy& policy) {
  return algorithm_of(configuration).make(configuration, environment, policy);
}

AdamOptions adam_options(const Configuration& configuration) {
  const OptimizerSettings& settings = configuration.optimizer;
  return {.rate = settings.rate, .beta1 = settings.beta1, .beta2 = settings.beta2, .epsilon = settings.epsilon};
}

std::unique_ptr<Optimizer> make_optimizer(const Configuration& configuration) {
  const OptimizerSettings& settings = configuration.optimizer;
  if (settings.kind == "constant") return constant_step(settings.rate);
  return adam(adam_options(configuration));
}

Configuration canonical(Configuration configuration) {
  bool discrete = false;
  if (configuration.env.id != kPlant) {
    const EnvironmentEntry& environment = environment_of(configuration);
    configuration.env.id = environment.name;
    discrete = environment.discrete;
  }
  configuration.policy.kind = policy_of(configuration, discrete).name;
  const AlgorithmEntry& algorithm = algorithm_of(configuration);
  configuration.algo.name = algorithm.name;
  if (algorithm.learns_deviation) configuration.hyperpolicy.learn_deviation = true;
  return configuration;
}

}  // namespace retropg
