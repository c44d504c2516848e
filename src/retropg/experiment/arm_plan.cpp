#include "retropg/experiment/arm_plan.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/printable.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/experiment/item_list.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 80;

std::string canonical_algorithm(const std::string& name) {
  Configuration configuration;
  configuration.algo.name = name;
  return canonical(configuration).algo.name;
}

/// Rejects keys that the comparison sets itself. `algo.name` is allowed as the arm's first setting only.
void require_free_key(const std::string& setting, bool first) {
  const std::string key = setting.substr(0, setting.find('='));
  for (const char* taken :
       {"algo.name", "train.budget", "train.iterations", "train.steps", "train.seed", "train.threads"}) {
    require(key != taken || (first && key == "algo.name"), "an arm may not set " + key + "; the comparison sets it");
  }
}

void apply(Configuration& configuration, const std::string& setting) {
  try {
    apply_setting(configuration, setting);
  } catch (const Error& error) {
    const std::string message = error.what(), place = "--set " + setting + ": ";
    throw Error(message.starts_with(place) ? message.substr(place.size())
                                           : message);  // the setting did not come from --set
  }
}

Configuration make_configuration(const Configuration& base, const ArmPlan& plan, Index budget,
                                 const std::optional<EnvironmentDefinition>& handed_over) {
  Configuration configuration = arm_configuration(base, plan);
  require(configuration.env == base.env && configuration.lqr == base.lqr && configuration.bandit == base.bandit,
          "an arm may not change the environment: returns would not be comparable");
  configuration.train.budget = budget;
  configuration.train.iterations.reset();  // only the budget ends a run
  configuration.train.steps = 0;
  configuration = canonical(configuration);
  handed_over ? make_trainer(configuration, *handed_over) : make_trainer(configuration);
  return configuration;
}

/// Labels are cells of tables, lines of legends and parts of messages.
void require_plain_label(const std::string& label) {
  require(is_plain(label), "arm '" + one_line(label, kLongestQuote) +
                               "': its name contains a control character, such as a tab or a line break");
}

void require_distinct(const std::vector<Arm>& arms) {
  for (std::size_t i = 0; i < arms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      require(arms[i].label != arms[j].label, "arm '" + arms[i].label + "' is named twice");
      require(arms[i].configuration != arms[j].configuration,
              "arms '" + arms[j].label + "' and '" + arms[i].label + "' have the same configuration");
    }
  }
}

}  // namespace

Configuration arm_configuration(const Configuration& base, const ArmPlan& plan) {
  Configuration configuration = base;
  for (const std::string& setting : plan.preset) apply(configuration, setting);
  for (std::size_t i = 0; i < plan.settings.size(); ++i) {
    require_free_key(plan.settings[i], i == 0);
    apply(configuration, plan.settings[i]);
  }
  return configuration;
}

std::vector<ArmPlan> parse_arm_list(const std::string& text) {
  std::vector<ArmPlan> plans;
  for (const std::string& written : split_items(text, ',')) {
    const std::string item = trimmed(written);
    require(!item.empty(), "--algos has an empty item; expected a list such as rpg,gpomdp, or all");
    if (same_name(item, "all")) {
      for (const AlgorithmEntry& entry : algorithms()) {
        plans.push_back({.label = entry.name, .settings = {"algo.name=" + entry.name}, .optional = true});
      }
      continue;
    }
    std::vector<std::string> parts = split_items(item, ':');
    const std::string name = canonical_algorithm(parts[0]);
    parts[0] = "algo.name=" + name;
    plans.push_back({.label = name + item.substr(std::min(item.find(':'), item.size())), .settings = parts});
  }
  return plans;
}

std::vector<Arm> make_arms(const Configuration& given, std::vector<ArmPlan>& plans, Index budget, Refusals& refusals,
                           const std::optional<EnvironmentDefinition>& handed_over) {
  const Configuration base = handed_over ? canonical(given, handed_over) : given;
  make_environment(base, handed_over);  // reports an invalid environment once, not as a problem of the first arm
  std::vector<Arm> arms;
  std::vector<ArmPlan> kept;
  for (ArmPlan& plan : plans) {
    require_plain_label(plan.label);
    try {
      const Index own_budget = plan.budget.value_or(budget);
      require(own_budget >= 1, "the budget must be at least 1 collected trajectory, not " + std::to_string(own_budget));
      Configuration configuration = make_configuration(base, plan, own_budget, handed_over);
      // `all` with a given exploration would hold rpg and pb-rpg, which are then the same.
      require(!plan.optional || !base.policy.exploration || !algorithm_of(configuration).exploration ||
                  algorithm_of(configuration).exploration == Exploration::kActions,
              "policy.exploration is given, so another arm is the same method");
      arms.push_back({.label = plan.label,
                      .configuration = std::move(configuration),
                      .cost = static_cast<double>(own_budget),
                      .environment = handed_over});
      kept.push_back(plan);
    } catch (const Error& error) {
      if (!plan.optional) throw Error("arm '" + one_line(plan.label, kLongestQuote) + "': " + error.what());
      refusals.push_back(plan.label + ": " + error.what());
    }
  }
  require(!arms.empty(), "no algorithm is left to compare" + (refusals.empty() ? "" : "; " + refusals.front()));
  require_distinct(arms);
  plans = std::move(kept);
  return arms;
}

}  // namespace retropg
