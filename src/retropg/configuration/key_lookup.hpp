#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "retropg/configuration/configuration_schema.hpp"

namespace retropg {

/// Null if there is no such key.
const SettingKey* find_key(std::string_view name);
/// Null if there is no such section.
const SettingSection* find_section(std::string_view name);
std::vector<std::string> section_names();

/// What a key of an earlier version is called now; empty if it was not renamed.
std::string_view renamed_key(std::string_view name);

/// One line: unknown key 'algo.windw'; did you mean 'algo.window'?
std::string unknown_key_message(std::string_view name);

}  // namespace retropg
