#include "retropg/configuration/registry.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/environment/clipped.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/configuration/builtin.hpp"

namespace retropg {
namespace {

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

/// Names become parts of files' names and of messages.
void require_plain(const char* what, const std::string& name) {
  const bool slash = name.find('/') != std::string::npos;
  const bool control =
      std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
  require(!slash && !control, std::string(what) + " '" + one_line(name, 60) + "': a registered name has no " +
                                  (slash ? "slashes" : "line breaks or other control characters"));
}

/// Entries of one kind. A reader may keep what it got while another thread adds an entry: that makes another list, and
/// the old ones stay. Few entries are ever added.
template <typename E>
class Table {
 public:
  Table(const char* what, std::vector<E> builtin) : what_(what) { publish(std::move(builtin)); }

  const std::vector<E>& entries() const { return *newest_.load(std::memory_order_acquire); }

  void add(E entry) {
    require(!entry.name.empty() && entry.make != nullptr,
            std::string("a registered ") + what_ + " needs a name and a function that makes it");
    const std::lock_guard lock(adding_);
    std::vector<E> longer = entries();
    for (const std::string& name : names(std::vector<E>{entry})) {
      require_plain(what_, name);
      require(std::ranges::none_of(longer, [&](const E& other) { return is_called(other, name); }),
              std::string(what_) + " '" + name + "' is already registered");
    }
    longer.push_back(std::move(entry));
    publish(std::move(longer));
  }

 private:
  void publish(std::vector<E> entries) {
    lists_.push_back(std::move(entries));
    newest_.store(&lists_.back(), std::memory_order_release);
  }

  const char* what_;
  std::mutex adding_;
  std::list<std::vector<E>> lists_;  // none moves or changes
  std::atomic<const std::vector<E>*> newest_ = nullptr;
};

Table<EnvironmentEntry>& environment_table() {
  static Table<EnvironmentEntry> table("environment", builtin_environments());
  return table;
}

Table<PolicyEntry>& policy_table() {
  static Table<PolicyEntry> table("policy", builtin_policies());
  return table;
}

Table<AlgorithmEntry>& algorithm_table() {
  static Table<AlgorithmEntry> table("algorithm", builtin_algorithms());
  return table;
}

const EnvironmentEntry& environment_of(const Configuration& configuration) {
  const std::string& name = configuration.env.id;
  require(!comes_from_python(name),
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

bool is_handed_over(const std::string& name) {
  return name == kPlant || name.find(':') != std::string::npos;
}

bool comes_from_python(const std::string& name) {
  return name.starts_with("gymnasium:") || name.starts_with("python:");
}

const std::vector<EnvironmentEntry>& environments() {
  return environment_table().entries();
}
const std::vector<PolicyEntry>& policies() {
  return policy_table().entries();
}
const std::vector<AlgorithmEntry>& algorithms() {
  return algorithm_table().entries();
}

void register_environment(EnvironmentEntry entry) {
  for (const std::string& name : names(std::vector<EnvironmentEntry>{entry})) {
    require(!is_handed_over(name), "environment '" + name +
                                       "' cannot be registered under this name: 'plant' and names "
                                       "with a colon are those of environments that are handed over");
  }
  environment_table().add(std::move(entry));
}
void register_policy(PolicyEntry entry) {
  policy_table().add(std::move(entry));
}
void register_algorithm(AlgorithmEntry entry) {
  algorithm_table().add(std::move(entry));
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

EnvironmentDefinition make_environment(const Configuration& configuration,
                                       const std::optional<EnvironmentDefinition>& handed_over) {
  if (!handed_over) return make_environment(configuration);
  EnvironmentDefinition environment = *handed_over;
  environment.id = configuration.env.id;
  environment.horizon = configuration.env.horizon.value_or(environment.horizon);
  environment.discount = configuration.env.discount.value_or(environment.discount);
  check(environment);
  return environment;
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
  if (!is_handed_over(configuration.env.id)) {
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

Configuration canonical(Configuration configuration, const std::optional<EnvironmentDefinition>& handed_over) {
  if (handed_over) {
    std::string& id = configuration.env.id;
    if (!is_handed_over(id)) id = is_handed_over(handed_over->id) ? handed_over->id : "own:" + handed_over->id;
    if (!configuration.policy.kind) configuration.policy.kind = default_policy(handed_over->action_count > 0);
  }
  return canonical(std::move(configuration));
}

}  // namespace retropg
