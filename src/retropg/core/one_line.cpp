#include "retropg/core/one_line.hpp"

#include <algorithm>

#include "retropg/core/printable.hpp"

namespace retropg {
namespace {

constexpr int kMostContinuations = 3;  // of a UTF-8 letter; other bytes need no care

/// The largest length up to `longest` that does not end within a letter.
std::size_t whole_letters(std::string_view text, std::size_t longest) {
  std::size_t length = longest;
  for (int back = 0; back <= kMostContinuations && length > 0; ++back, --length) {
    if ((text[length] & 0xC0) != 0x80) return length;
  }
  return longest;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t longest) {
  const bool cut = text.size() > longest;
  std::string_view left = cut ? text.substr(0, whole_letters(text, longest)) : text;
  std::string line;
  line.reserve(left.size());
  while (!left.empty()) {
    const std::size_t length = letter_length(left);
    const std::string_view letter = left.substr(0, std::max<std::size_t>(1, length));
    line += length == 0 ? kReplacementLetter : is_control(letter) ? " " : letter;
    left.remove_prefix(letter.size());
  }
  return cut ? line + "..." : line;
}

}  // namespace retropg
