#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace retropg {

/// The text for a message: control characters (see `is_control`) become blanks, bytes that are not UTF-8 are replaced,
/// and at most `longest` bytes are kept, with "..." after them if there were more. UTF-8 letters stay whole.
std::string one_line(std::string_view text, std::size_t longest);

}  // namespace retropg
