#include "retropg/configuration/key_readers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "retropg/configuration/configuration_schema.hpp"
#include "retropg/configuration/key_lookup.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/unread_key.hpp"

namespace retropg {
namespace {

/// A setting on which it may depend what else is read.
struct Variation {
  const SettingKey* key;
  SettingValue value;
  std::string_view relation = " = ";  // of the key to the text of the value
};

/// Every choice and flag, every policy, and evaluations.
std::vector<Variation> variations() {
  std::vector<Variation> result;
  const auto add_word = [&](const SettingKey& key, const std::string& word) {
    result.push_back({&key, {.data = word, .text = toml_string(word)}});
  };
  result.push_back({find_key("train.eval_every"), {.data = Index{1}, .text = "0"}, " above "});
  for (const PolicyEntry& entry : policies()) add_word(*find_key("policy.kind"), entry.name);
  for (const SettingSection& section : configuration_schema()) {
    for (const SettingKey& key : section.keys) {
      for (const std::string& choice : key.choices) add_word(key, choice);
      Configuration scratch;
      if (!key.set(scratch, {.data = true, .text = {}})) continue;
      result.push_back({&key, {.data = true, .text = "true"}});
      result.push_back({&key, {.data = false, .text = "false"}});
    }
  }
  return result;
}

/// On which setting the key has an effect; empty: on none. Nothing if it never has.
std::optional<std::string> condition(const Configuration& base, std::string_view key) {
  const bool of_policy = reader_of(key) == Reader::kPolicy;  // another one is another reader
  if (has_effect(base, key)) return "";
  std::string text;
  const SettingKey* last = nullptr;
  for (const Variation& variation : variations()) {
    if (variation.key->name == key || (of_policy && variation.key->name == "policy.kind")) continue;
    Configuration varied = base;
    variation.key->set(varied, variation.value);
    if (!has_effect(varied, key)) continue;
    text += variation.key == last ? " or " + variation.value.text
                                  : fmt::format("{}{}{}{}", text.empty() ? "" : ", or ", variation.key->name,
                                                variation.relation, variation.value.text);
    last = variation.key;
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

/// The default configuration with each entry of the kind that reads the key.
std::vector<std::pair<std::string, Configuration>> configurations(Reader reader) {
  std::vector<std::pair<std::string, Configuration>> result;
  const auto add = [&](const auto& entries, auto set) {
    for (const auto& entry : entries) {
      result.emplace_back(entry.name, Configuration());
      set(result.back().second, entry.name);
    }
  };
  if (reader == Reader::kEnvironment) {
    add(environments(), [](Configuration& c, const std::string& name) { c.env.id = name; });
  } else if (reader == Reader::kPolicy) {
    add(policies(), [](Configuration& c, const std::string& name) { c.policy.kind = name; });
  } else {
    add(algorithms(), [](Configuration& c, const std::string& name) { c.algo.name = name; });
  }
  return result;
}

}  // namespace

std::vector<KeyReaders> readers_of(std::string_view key) {
  std::vector<KeyReaders> readers;
  const auto all = configurations(reader_of(key));
  for (const auto& [name, configuration] : all) {
    const std::optional<std::string> on = condition(configuration, key);
    if (!on) continue;
    auto same = std::ranges::find(readers, *on, &KeyReaders::condition);
    if (same == readers.end()) same = readers.insert(readers.end(), KeyReaders{.condition = *on, .names = {}});
    same->names.push_back(name);
  }
  for (KeyReaders& group : readers) {
    if (group.names.size() == all.size()) group.names.clear();
  }
  std::ranges::stable_sort(readers, {}, [](const KeyReaders& group) { return !group.condition.empty(); });
  return readers;
}

std::string kind_of_readers(std::string_view key) {
  const Reader reader = reader_of(key);
  return reader == Reader::kEnvironment ? "environment" : reader == Reader::kPolicy ? "policy" : "algorithm";
}

}  // namespace retropg
