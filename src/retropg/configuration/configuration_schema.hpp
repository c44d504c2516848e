#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/setting_type.hpp"

namespace retropg {

/// One key of the configuration, with everything needed to read, write and document it.
struct SettingKey {
  std::string name;                                              // "algo.window"
  std::string type;                                              // completes "algo.window must be ..."
  std::string meaning;                                           // one sentence
  std::string unset;                                             // what an unset value means
  std::vector<std::string> choices;                              // allowed words, if there are any
  std::function<SettingValue(const Configuration&)> get;         // its text is TOML, or empty if unset
  std::function<bool(Configuration&, const SettingValue&)> set;  // false: wrong type or range; nothing changed
};

struct SettingSection {
  std::string name;
  std::string meaning;
  std::vector<SettingKey> keys;

  std::string_view short_name(const SettingKey& key) const {
    return std::string_view(key.name).substr(name.size() + 1);
  }
};

const std::vector<SettingSection>& configuration_schema();

}  // namespace retropg
