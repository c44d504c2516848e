// The only file that uses the TOML parser.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/configuration_schema.hpp"
#include "retropg/configuration/key_lookup.hpp"
#include "retropg/configuration/toml_depth.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 80;
constexpr std::size_t kLongestReason = 300;

std::string quote(std::string_view text) {
  return one_line(text, kLongestQuote);
}

/// Beginnings of keys that came after the first version: its run folders do not have them.
constexpr std::array<std::string_view, 11> kLater = {
    "checkpoint.",  "log.",     "train.broken",   "train.steps",     "nes.",         "train.eval_",
    "train.final_", "env.clip", "policy.scaling", "optimizer.trust", "policy.learn_"};

std::optional<std::vector<double>> numbers(const toml::array& array) {
  std::vector<double> values;
  for (const toml::node& element : array) {
    if (const auto* whole = element.as_integer()) {
      values.push_back(static_cast<double>(whole->get()));
    } else if (const auto* real = element.as_floating_point()) {
      values.push_back(real->get());
    } else {
      return std::nullopt;
    }
  }
  return values;
}

std::string list_text(const toml::array& array);

SettingValue value_of(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return {flag->get(), flag->get() ? "true" : "false"};
  if (const auto* whole = node.as_integer()) return {whole->get(), fmt::format("{}", whole->get())};
  if (const auto* real = node.as_floating_point()) return {real->get(), toml_number(real->get())};
  if (const auto* word = node.as_string()) return {word->get(), fmt::format("\"{}\"", quote(word->get()))};
  if (const auto* array = node.as_array()) {
    const std::optional<std::vector<double>> list = numbers(*array);
    return {list ? decltype(SettingValue::data)(*list) : std::monostate(), list_text(*array)};
  }
  return {std::monostate(), node.is_table() ? "a table" : "a date or time"};
}

std::string list_text(const toml::array& array) {
  std::string text = "[";
  for (const toml::node& element : array) {
    if (text.size() > kLongestQuote) return text + ", ...]";
    text += (text.size() > 1 ? ", " : "") + (element.is_array() ? "[...]" : value_of(element).text);
  }
  return text + "]";
}

/// A word that differs from an allowed one only in case becomes that one.
SettingValue spelled(std::string_view name, SettingValue value) {
  const SettingKey* key = find_key(name);
  auto* word = std::get_if<std::string>(&value.data);
  if (key == nullptr || word == nullptr) return value;
  for (const std::string& choice : key->choices) {
    if (same_name(choice, *word)) *word = choice;
  }
  return value;
}

// `place` begins the error message: the file and line, or the command-line option.
void set(Configuration& configuration, std::string_view name, const SettingValue& value, const std::string& place) {
  const SettingKey* key = find_key(name);
  if (key == nullptr) throw Error(place + unknown_key_message(name));
  if (key->set(configuration, value)) return;
  std::string message = fmt::format("{}{} must be {}, not {}", place, name, key->type, value.text);
  if (const auto* word = std::get_if<std::string>(&value.data)) {
    if (const std::string near = closest(*word, key->choices); !near.empty()) {
      message += fmt::format("; did you mean {}?", toml_string(near));
    }
  }
  throw Error(message);
}

struct Entry {
  toml::source_index line;
  bool in_section;
  std::string name;
  const toml::node* node;
};

// In the order of the file, so that its first error is the one reported; toml::table sorts by name.
std::vector<Entry> entries_of(const toml::table& root) {
  std::vector<Entry> entries;
  for (const auto& [name, node] : root) {
    const toml::table* table = node.as_table();
    if (table == nullptr || find_section(name.str()) == nullptr) {
      entries.push_back({name.source().begin.line, false, std::string(name.str()), &node});
      continue;
    }
    for (const auto& [key, value] : *table) {
      entries.push_back({key.source().begin.line, true, fmt::format("{}.{}", name.str(), key.str()), &value});
    }
  }
  std::ranges::stable_sort(entries, {}, &Entry::line);
  return entries;
}

std::string section_error(const Entry& entry) {
  if (find_section(entry.name) != nullptr) return fmt::format("'{0}' is a section: write [{0}]", entry.name);
  if (find_key(entry.name) != nullptr) return fmt::format("'{}' must be written without quotes", entry.name);
  if (!entry.node->is_table()) return unknown_key_message(entry.name);
  return unknown_name_message("section", entry.name, section_names());
}

toml::table parse(std::string_view text, const std::string& name) {
  if (const std::optional<Index> line = line_of_deep_key(text)) {
    throw Error(
        fmt::format("{}:{}: a key has more than {} parts; write it as section.key", name, *line, kMostKeyParts));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(
        fmt::format("{}:{}: {}", name, error.source().begin.line, one_line(error.description(), kLongestReason)));
  }
}

// A single value; nothing if the text is not TOML or is more than one value.
std::optional<SettingValue> parse_value(std::string_view text) {
  if (line_of_deep_key(text)) return std::nullopt;
  try {
    const toml::table table = toml::parse(fmt::format("value = {}", text));
    if (table.size() == 1) return value_of(*table.get("value"));
  } catch (const toml::parse_error&) {
  }
  return std::nullopt;
}

SettingValue not_a_value(std::string_view text) {
  return {std::monostate(), quote(text)};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Overrides the configuration with the keys of a text and returns their names, the present ones.
std::set<std::string> apply(Configuration& configuration, std::string_view text, const std::string& name,
                            OldKeys old_keys) {
  const toml::table root = parse(text, name);
  Configuration result = configuration;
  std::set<std::string> given;
  for (const Entry& entry : entries_of(root)) {
    const std::string place = fmt::format("{}:{}: ", name, entry.line);
    if (!entry.in_section) throw Error(place + section_error(entry));
    const std::string_view now = old_keys == OldKeys::kAccept ? renamed_key(entry.name) : "";
    const std::string key(now.empty() ? entry.name : now);
    set(result, key, spelled(key, value_of(*entry.node)), place);
    given.insert(key);
  }
  configuration = std::move(result);
  return given;
}

/// Whether a key is one of those that the folders of earlier versions do not have.
/// A value as it is written in a file, except that a word needs no quotes.
void set_text(Configuration& configuration, std::string_view name, std::string_view text, const std::string& place) {
  std::optional<SettingValue> value = parse_value(text);
  const bool bare = std::string_view("\"'[{").find(text[0]) == std::string_view::npos;
  if (!value && bare) value = parse_value(toml_string(text));
  set(configuration, name, spelled(name, value.value_or(not_a_value(text))), place);
}

bool came_later(const std::string& name) {
  return std::ranges::any_of(kLater, [&name](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

void apply_text(Configuration& configuration, std::string_view text, const std::string& name, OldKeys old_keys) {
  apply(configuration, text, name, old_keys);
}

Configuration parse_run_configuration(std::string_view text, const std::string& name) {
  Configuration configuration;
  const std::set<std::string> given = apply(configuration, text, name, OldKeys::kAccept);
  for (const SettingSection& section : configuration_schema()) {
    for (const SettingKey& key : section.keys) {
      const bool written = key.unset.empty() && !came_later(key.name);
      require(!written || given.contains(key.name), fmt::format("{}: is cut: it has no key '{}'", name, key.name));
    }
  }
  require(text.ends_with('\n'), name + ": is cut: its last line has no end");
  return configuration;
}

void apply_setting(Configuration& configuration, std::string_view assignment) {
  const std::string place = fmt::format("--set {}: ", quote(assignment));
  const std::size_t equals = assignment.find('=');
  const std::string_view text = equals == std::string_view::npos ? "" : trimmed(assignment.substr(equals + 1));
  require(!text.empty(), place + "write it as key=value, for example algo.window=4");
  const std::string_view name = trimmed(assignment.substr(0, equals));
  require(find_section(name) == nullptr, fmt::format("{}'{}' is a section; name one of its keys", place, name));
  set_text(configuration, name, text, place);
}

void apply_flag(Configuration& configuration, const FlagValue& given) {
  const std::string place = fmt::format("{} {}: ", given.flag, quote(given.value));
  const std::string_view text = trimmed(given.value);
  require(!text.empty(), fmt::format("{} needs a value", given.flag));
  set_text(configuration, given.key, text, place);
}

void check_configuration(const Configuration& configuration) {
  Configuration scratch;
  for (const SettingSection& section : configuration_schema()) {
    for (const SettingKey& key : section.keys) {
      const SettingValue value = key.get(configuration);
      if (!value.text.empty()) set(scratch, key.name, value, "");
    }
  }
}

Configuration parse_configuration(std::string_view text, const std::string& name) {
  Configuration configuration;
  apply_text(configuration, text, name);
  return configuration;
}

}  // namespace retropg
