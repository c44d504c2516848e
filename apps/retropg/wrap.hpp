#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace retropg::app {

/// Of text that is not for a terminal.
inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

/// The text in lines of at most `width` characters, broken at spaces; lines after the first begin with `indent` spaces,
/// and the first has room for `width` - `indent` characters, because something stands before it. A longer word has a
/// line of its own.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// A line of a list: the name, and the text from `column` on. A name that is too long has a line of its own.
std::string described(const std::string& name, const std::string& text, std::size_t column, std::size_t width);

/// The text with every line that is longer than `width` broken at spaces; what follows begins where the line does, or
/// where its text begins after a title and two spaces.
std::string fitted(const std::string& text, std::size_t width);

}  // namespace retropg::app
