#include "retropg/core/one_line.hpp"

#include <algorithm>

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
  std::string line(cut ? text.substr(0, whole_letters(text, longest)) : text);
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return cut ? line + "..." : line;
}

}  // namespace retropg
