#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// A TOML value that does not depend on the parser's types.
struct SettingValue {
  /// monostate: a value that no key accepts, such as a date, a table or a list of strings.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>> data;
  std::string text;  // one line for errors; TOML if the value comes from a field, empty if that is unset
};

/// How a field of type T is read, written and described.
template <class T>
struct SettingType {
  std::string text;                                   // completes "must be ..."
  std::function<bool(const SettingValue&, T&)> read;  // false: wrong type or range; nothing changed
  std::function<SettingValue(const T&)> write;        // the field's value; `read` accepts it if it is valid
  std::string unset = {};                             // what an unset value means
  std::vector<std::string> choices = {};              // allowed words, if there are any
};

SettingType<bool> flag_type();
SettingType<std::string> name_type();
SettingType<std::string> choice_type(std::vector<std::string> names);

/// Index or std::uint64_t, a multiple of `step` from `low` to `high`.
template <class T = Index>
SettingType<T> whole_type(Index low, Index high, Index step = 1);

/// Finite numbers for which `holds` is true; `text` describes the condition in words.
using NumberCondition = bool (*)(double);
SettingType<double> number_type(std::string text, NumberCondition holds);
SettingType<std::vector<double>> list_type(std::string text, NumberCondition holds, std::string unset);

/// The same type, but the value may be unset.
template <class T>
SettingType<std::optional<T>> optional_type(const SettingType<T>& type, std::string unset) {
  return {.text = type.text,
          .read =
              [read = type.read](const SettingValue& value, std::optional<T>& field) {
                T given{};
                if (!read(value, given)) return false;
                field = given;
                return true;
              },
          .write = [write = type.write](const auto& field) { return field ? write(*field) : SettingValue(); },
          .unset = std::move(unset),
          .choices = type.choices};
}

/// The value as a finite number. Whole numbers are accepted, NaN and infinity are not.
std::optional<double> finite_number(const SettingValue& value);

/// A TOML string with its quotes, always on one line.
std::string toml_string(std::string_view text);
/// The shortest text that reads back as the same number, always recognizable as a real: 1.0
std::string toml_number(double number);
std::string toml_list(const std::vector<double>& numbers);

}  // namespace retropg
