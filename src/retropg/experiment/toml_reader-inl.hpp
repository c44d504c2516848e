#pragma once

#include <optional>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "retropg/core/types.hpp"

namespace retropg {

/// Reads the keys of a table one by one; `finish` rejects those that nobody asked for. Errors are one line that begins
/// with the place: "expected.toml: claim 3: ...".
class TomlReader {
 public:
  TomlReader(const toml::table& table, std::string place) : table_(table), place_(std::move(place)) {}

  std::optional<std::string> text(const std::string& key);
  std::optional<Index> whole(const std::string& key);
  std::optional<double> number(const std::string& key);
  std::optional<bool> flag(const std::string& key);
  /// A string or a list of strings; empty if there is none.
  std::vector<std::string> texts(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  /// The tables of [[key]], with their places.
  std::vector<TomlReader> tables(const std::string& key);

  std::string needed_text(const std::string& key);
  Index needed_whole(const std::string& key);
  double needed_number(const std::string& key);

  /// The position of the word among `words`; `fallback` if there is none.
  std::size_t choice(const std::string& key, const std::vector<std::string>& words, std::size_t fallback);

  [[noreturn]] void fail(const std::string& message) const;
  void finish() const;

 private:
  [[noreturn]] void fail_missing(const std::string& key) const;
  const toml::node* find(const std::string& key);
  template <typename T>
  std::optional<T> value(const std::string& key, const char* type);

  const toml::table& table_;
  std::string place_;
  std::vector<std::string> asked_;
};

/// Throws an Error in one line that begins with the name of the file.
toml::table parse_toml(const std::string& text, const std::string& file);

}  // namespace retropg
