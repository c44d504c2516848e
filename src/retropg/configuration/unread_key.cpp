#include "retropg/configuration/unread_key.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "retropg/configuration/configuration_schema.hpp"

namespace retropg {
namespace {

std::string_view section_of(std::string_view key) {
  return key.substr(0, key.find('.'));
}

/// Keys that say who reads the others, and are always read.
bool is_name(std::string_view key) {
  return key == "env.id" || key == "policy.kind" || key == "algo.name";
}

/// Whether another policy would have the algorithm read a key of its policy.
bool policy_prevents(const Configuration& configuration, std::string_view key) {
  return section_of(key) == "policy" && std::ranges::any_of(policies(), [&](const PolicyEntry& entry) {
           Configuration other = configuration;
           other.policy.kind = entry.name;
           return has_effect(other, key);
         });
}

std::string name_of_reader(const Configuration& configuration, std::string_view key) {
  switch (reader_of(key)) {
    case Reader::kEnvironment: return configuration.env.id;
    case Reader::kPolicy: return *configuration.policy.kind;
    case Reader::kBaseline: return fmt::format("the baseline \"{}\"", configuration.algo.baseline);
    case Reader::kAlgorithm: break;
  }
  return policy_prevents(configuration, key) ? *configuration.policy.kind : configuration.algo.name;
}

Configuration without_width(Configuration configuration) {
  configuration.policy.width.reset();
  return configuration;
}

template <class Wanted>
std::vector<std::string> keys_read(std::span<const Configuration> configurations, const Wanted& wanted) {
  std::vector<std::string> keys;
  for (const std::string& key : configuration_keys()) {
    const auto has = [&](const Configuration& configuration) { return has_effect(configuration, key); };
    if (!is_name(key) && wanted(key) && std::ranges::any_of(configurations, has)) keys.push_back(key);
  }
  return keys;
}

}  // namespace

Reader reader_of(std::string_view key) {
  const std::string_view section = section_of(key);
  if (section == "env" || section == "lqr" || section == "bandit") return Reader::kEnvironment;
  if (section == "baseline") return Reader::kBaseline;
  // What is drawn, actions or parameters, is up to the algorithm.
  const bool drawn = key == "policy.variance" || key == "policy.learn_deviation" || key == "policy.exploration" ||
                     key == "policy.evidence";
  return section == "policy" && !drawn ? Reader::kPolicy : Reader::kAlgorithm;
}

std::string keys_read_instead(std::span<const Configuration> configurations, std::string_view key) {
  if (key == "train.eval_episodes") return "(read with train.eval_every above 0)";
  if (std::ranges::any_of(configurations,
                          [&](const Configuration& given) { return has_effect(without_width(given), key); })) {
    return "(policy.width takes its place)";
  }
  const std::string_view section = section_of(key);
  const auto of_section = [&](std::string_view other) { return section_of(other) == section; };
  if (const auto keys = keys_read(configurations, of_section); !keys.empty()) {
    std::vector<std::string_view> names;
    for (const std::string& read : keys) names.push_back(std::string_view(read).substr(section.size() + 1));
    return fmt::format("(read in [{}]: {})", section, fmt::join(names, ", "));
  }
  const auto of_reader = [&](std::string_view other) {
    const std::string_view of = section_of(other);
    if (of == "train" || of == "checkpoint" || of == "log") return false;
    return reader_of(other) == reader_of(key) && (of != "policy" || section == "hyperpolicy");
  };
  const auto keys = keys_read(configurations, of_reader);
  return keys.empty() ? fmt::format("(see `retropg list {}`)", key) : fmt::format("(read: {})", fmt::join(keys, ", "));
}

std::string unread_key_message(const Configuration& given, std::string_view key) {
  const Configuration configuration = canonical(given);
  const std::string instead = keys_read_instead(std::span(&configuration, 1), key);
  return fmt::format("{} does not read {} with these settings {}", name_of_reader(configuration, key), key, instead);
}

}  // namespace retropg
