#include "retropg/experiment/toml_reader-inl.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "retropg/configuration/toml_depth.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestReason = 200;

}  // namespace

void TomlReader::fail(const std::string& message) const {
  throw Error(place_ + ": " + message);
}

void TomlReader::fail_missing(const std::string& key) const {
  std::vector<std::string> others;
  for (const auto& [name, node] : table_) {
    if (std::ranges::find(asked_, name.str()) == asked_.end()) others.emplace_back(name.str());
  }
  const std::string near = closest(key, others);
  fail(fmt::format("'{}' is missing{}", key, near.empty() ? "" : "; is '" + near + "' meant to be it?"));
}

const toml::node* TomlReader::find(const std::string& key) {
  asked_.push_back(key);
  return table_.get(key);
}

template <typename T>
std::optional<T> TomlReader::value(const std::string& key, const char* type) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<T> found = node->value_exact<T>();
  if (!found) fail(fmt::format("'{}' must be {}", key, type));
  return found;
}

std::optional<std::string> TomlReader::text(const std::string& key) {
  return value<std::string>(key, "a string");
}

std::optional<Index> TomlReader::whole(const std::string& key) {
  return value<Index>(key, "a whole number");
}

std::optional<double> TomlReader::number(const std::string& key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> found = node->is_number() ? node->value<double>() : std::nullopt;
  if (!found || !std::isfinite(*found)) fail(fmt::format("'{}' must be a finite number", key));
  return found;
}

std::optional<bool> TomlReader::flag(const std::string& key) {
  return value<bool>(key, "true or false");
}

std::vector<std::string> TomlReader::texts(const std::string& key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (node->is_string()) return {*node->value<std::string>()};
  std::vector<std::string> result;
  const toml::array* list = node->as_array();
  if (list == nullptr) fail(fmt::format("'{}' must be a string or a list of strings", key));
  for (const toml::node& item : *list) {
    if (!item.is_string()) fail(fmt::format("every item of '{}' must be a string", key));
    result.push_back(*item.value<std::string>());
  }
  return result;
}

std::vector<double> TomlReader::numbers(const std::string& key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  std::vector<double> result;
  const toml::array* list = node->as_array();
  if (list == nullptr) fail(fmt::format("'{}' must be a list of numbers", key));
  for (const toml::node& item : *list) {
    if (!item.is_number()) fail(fmt::format("every item of '{}' must be a number", key));
    result.push_back(*item.value<double>());
  }
  return result;
}

std::vector<TomlReader> TomlReader::tables(const std::string& key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  if (list == nullptr) fail(fmt::format("'{}' must be a list of tables, written [[{}]]", key, key));
  std::vector<TomlReader> result;
  for (const toml::node& item : *list) {
    if (!item.is_table()) fail(fmt::format("'{}' must be a list of tables, written [[{}]]", key, key));
    result.emplace_back(*item.as_table(), fmt::format("{}: {} {}", place_, key, result.size() + 1));
  }
  return result;
}

std::string TomlReader::needed_text(const std::string& key) {
  const std::optional<std::string> found = text(key);
  if (!found || found->empty()) fail_missing(key);
  return *found;
}

Index TomlReader::needed_whole(const std::string& key) {
  const std::optional<Index> found = whole(key);
  if (!found) fail_missing(key);
  return *found;
}

double TomlReader::needed_number(const std::string& key) {
  const std::optional<double> found = number(key);
  if (!found) fail_missing(key);
  return *found;
}

std::size_t TomlReader::choice(const std::string& key, const std::vector<std::string>& words, std::size_t fallback) {
  const std::optional<std::string> word = text(key);
  if (!word) return fallback;
  const auto found = std::ranges::find(words, *word);
  if (found == words.end()) fail(unknown_name_message(key, *word, words));
  return as_size(found - words.begin());
}

void TomlReader::finish() const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::ranges::find(asked_, name) == asked_.end()) fail(unknown_name_message("key", name, asked_));
  }
}

toml::table parse_toml(const std::string& text, const std::string& file) {
  if (const std::optional<Index> line = line_of_deep_key(text)) {
    throw Error(fmt::format("{}:{}: a key has more than {} parts", file, *line, kMostKeyParts));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(
        fmt::format("{}:{}: {}", file, error.source().begin.line, one_line(error.description(), kLongestReason)));
  }
}

}  // namespace retropg
