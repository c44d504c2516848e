#include "retropg/experiment/results_plan.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/version.hpp"
#include "retropg/kernels/simd.hpp"

namespace retropg {
namespace {

std::string text(const std::string& string) {
  std::ostringstream out;
  out << toml::value(string);
  return out.str();
}

/// The value as TOML.
std::string text(const PlanItem& item) {
  if (const auto* string = std::get_if<std::string>(&item.value)) return text(*string);
  if (const auto* number = std::get_if<double>(&item.value)) return fmt::format("{}", *number);
  return std::to_string(std::get<Index>(item.value));
}

/// Arms run on one thread each, whatever is configured.
Configuration stored(const Arm& arm) {
  Configuration configuration = canonical(arm.configuration);
  configuration.train.threads = 1;
  return configuration;
}

std::string text_of(const toml::node* node) {
  if (node == nullptr) return "";
  if (const auto* number = node->as_floating_point()) return fmt::format("{}", number->get());
  std::ostringstream out;
  node->visit([&](const auto& value) { out << value; });
  return out.str();
}

void require_same_item(const PlanItem& item, const toml::table& there, const std::string& name) {
  if (!item.fixed) return;
  const std::string now = text(item), then = text_of(there.get(item.name));
  if (now == then) return;
  throw Error(then.empty() ? fmt::format("was made without {}, not with {}", name, now)
                           : fmt::format("was made with {} {}, not {}", name, then, now));
}

void require_same_labels(const ResultsPlan& plan, const std::vector<std::string>& there) {
  std::vector<std::string> now;
  for (const Arm& arm : plan.arms) now.push_back(arm.label);
  const auto first_missing = [](const std::vector<std::string>& wanted, const std::vector<std::string>& labels) {
    const auto found = std::ranges::find_if(
        wanted, [&](const std::string& label) { return std::ranges::find(labels, label) == labels.end(); });
    return found == wanted.end() ? "" : "'" + *found + "'";
  };
  const std::string missing = first_missing(now, there), other = first_missing(there, now);
  require(missing.empty(), fmt::format("was made without arm {}{}{}", missing, other.empty() ? "" : ", with ", other));
  require(other.empty(), fmt::format("was made with arm {} too", other));
  require(now == there, fmt::format("was made with the arms in another order: {}", fmt::join(there, ", ")));
}

}  // namespace

std::string to_toml(const ResultsPlan& plan) {
  const auto lines = [](const std::vector<PlanItem>& items) {
    std::string result;
    for (const PlanItem& item : items) result += fmt::format("{} = {}\n", item.name, text(item));
    return result;
  };
  std::string result = "# What the runs in this folder are.\n" + lines(plan.items) +
                       lines({{"version", version()}, {"simd", std::string(kernels::active_target())}});
  for (std::size_t i = 0; i < plan.arms.size(); ++i) {
    result += fmt::format("\n[[arm]]\n{}configuration = '''\n{}'''\n", lines({{"label", plan.arms[i].label}}),
                          to_toml(stored(plan.arms[i])));
  }
  return result;
}

std::string require_same_plan(const ResultsPlan& plan, std::string_view file, const PlanFlags& flags) {
  toml::table there;
  try {
    there = toml::parse(file);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("its plan.toml is damaged: {}", error.description()));
  }
  for (const PlanItem& item : plan.items) {
    if (flags.contains(item.name)) require_same_item(item, there, flags.at(item.name));
  }
  std::vector<const toml::table*> arms;
  std::vector<std::string> labels;
  if (const toml::array* list = there["arm"].as_array()) {
    for (const toml::node& node : *list) {
      if (!node.is_table()) continue;
      arms.push_back(node.as_table());
      labels.push_back((*node.as_table())["label"].value_or(std::string()));
    }
  }
  require_same_labels(plan, labels);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::string place = fmt::format("arm '{}' ", labels[i]);
    const Configuration now = stored(plan.arms[i]);
    const Configuration then = parse_configuration((*arms[i])["configuration"].value_or(std::string()), "plan.toml");
    for (const std::string& key : differing_keys(then, now)) {
      throw Error(
          fmt::format("{}was made with {} = {}, not {}", place, key, setting_text(then, key), setting_text(now, key)));
    }
  }
  for (const PlanItem& item : plan.items) require_same_item(item, there, item.name);
  const std::string made_by = there["version"].value_or(std::string()), simd = there["simd"].value_or(std::string());
  if (made_by != version())
    return fmt::format("was made by version {}, this is {}: bits may differ", made_by, version());
  if (simd != kernels::active_target()) {
    return fmt::format("was made with {} instructions, this machine has {}: bits may differ", simd,
                       kernels::active_target());
  }
  return "";
}

}  // namespace retropg
