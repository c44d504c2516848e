#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace retropg {

/// U+FFFD, in place of what cannot be shown.
inline constexpr std::string_view kReplacementLetter = "\xEF\xBF\xBD";

/// The length of the letter at the start of a text, or 0 if that is not UTF-8.
std::size_t letter_length(std::string_view text);

/// Whether a letter acts on what shows it: control characters of both sets, among them those that begin a terminal's
/// commands, separators of lines, and marks that turn the direction of writing around.
bool is_control(std::string_view letter);

/// Whether no letter of the text is one of these, and all are UTF-8.
bool is_plain(std::string_view text);

/// The text for a terminal: control characters except line ends, and bytes that are not UTF-8, are replaced.
std::string printable(std::string_view text);

}  // namespace retropg
