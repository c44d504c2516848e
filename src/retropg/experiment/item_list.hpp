#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace retropg {

/// Splits a list at separators outside brackets and quotes.
std::vector<std::string> split_items(std::string_view text, char separator);

/// Without the spaces at both ends.
std::string trimmed(const std::string& text);

}  // namespace retropg
