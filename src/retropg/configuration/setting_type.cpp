#include "retropg/configuration/setting_type.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retropg {

SettingType<bool> flag_type() {
  return {.text = "true or false",
          .read =
              [](const SettingValue& value, bool& field) {
                const auto* given = std::get_if<bool>(&value.data);
                if (given != nullptr) field = *given;
                return given != nullptr;
              },
          .write =
              [](const bool& field) {
                return SettingValue{field, field ? "true" : "false"};
              }};
}

SettingType<std::string> name_type() {
  return {.text = "a name in quotes",
          .read =
              [](const SettingValue& value, std::string& field) {
                const auto* given = std::get_if<std::string>(&value.data);
                if (given == nullptr || given->empty()) return false;
                field = *given;
                return true;
              },
          .write =
              [](const std::string& field) {
                return SettingValue{field, toml_string(field)};
              }};
}

SettingType<std::string> choice_type(std::vector<std::string> names) {
  SettingType<std::string> type = name_type();
  type.text.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    type.text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + toml_string(names[i]);
  }
  type.read = [names, read = type.read](const SettingValue& value, std::string& field) {
    std::string given;
    if (!read(value, given) || std::ranges::find(names, given) == names.end()) return false;
    field = std::move(given);
    return true;
  };
  type.choices = std::move(names);
  return type;
}

template <class T>
SettingType<T> whole_type(Index low, Index high, Index step) {
  const std::string what = step == 1 ? "a whole number" : fmt::format("a multiple of {}", step);
  return {.text = fmt::format("{} from {} to {}", what, low, high),
          .read =
              [=](const SettingValue& value, T& field) {
                const auto* given = std::get_if<std::int64_t>(&value.data);
                if (given == nullptr || *given < low || *given > high || *given % step != 0) return false;
                field = static_cast<T>(*given);
                return true;
              },
          .write =
              [](const T& field) {
                return SettingValue{static_cast<std::int64_t>(field), fmt::format("{}", field)};
              }};
}

template SettingType<Index> whole_type(Index low, Index high, Index step);
template SettingType<std::uint64_t> whole_type(Index low, Index high, Index step);

SettingType<double> number_type(std::string text, NumberCondition holds) {
  return {.text = std::move(text),
          .read =
              [holds](const SettingValue& value, double& field) {
                const std::optional<double> given = finite_number(value);
                if (!given || !holds(*given)) return false;
                field = *given;
                return true;
              },
          .write =
              [](const double& field) {
                return SettingValue{field, toml_number(field)};
              }};
}

SettingType<std::vector<double>> list_type(std::string text, NumberCondition holds, std::string unset) {
  return {.text = std::move(text),
          .read =
              [holds](const SettingValue& value, std::vector<double>& field) {
                const auto* given = std::get_if<std::vector<double>>(&value.data);
                const auto allowed = [holds](double x) { return std::isfinite(x) && holds(x); };
                if (given == nullptr || !std::ranges::all_of(*given, allowed)) return false;
                field = *given;
                return true;
              },
          .write =
              [](const auto& field) {
                return field.empty() ? SettingValue() : SettingValue{field, toml_list(field)};
              },
          .unset = std::move(unset)};
}

std::optional<double> finite_number(const SettingValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&value.data);
  return real != nullptr && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_number(double number) {
  const std::string text = fmt::format("{}", number);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string toml_list(const std::vector<double>& numbers) {
  std::vector<std::string> texts(numbers.size());
  std::ranges::transform(numbers, texts.begin(), toml_number);
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace retropg
