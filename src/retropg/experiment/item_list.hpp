#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace retropg {

/// Splits a list at separators outside brackets and quotes.
std::vector<std::string> split_items(std::string_view text, char separator);

/// The key of a setting: "algo.window" of "algo.window = 4".
std::string key_of(const std::string& setting);

/// Without the spaces at both ends.
std::string trimmed(const std::string& text);

}  // namespace retropg
