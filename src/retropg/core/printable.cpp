#include "retropg/core/printable.hpp"

#include <algorithm>
#include <cstdint>

namespace retropg {
namespace {

bool between(std::uint32_t number, std::uint32_t low, std::uint32_t high) {
  return number >= low && number <= high;
}

std::uint32_t code_of(std::string_view letter) {
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(letter[i])}; };
  if (letter.size() == 1) return byte(0);
  std::uint32_t code = byte(0) & (0x7FU >> letter.size());
  for (std::size_t i = 1; i < letter.size(); ++i) code = code << 6U | (byte(i) & 0x3FU);
  return code;
}

}  // namespace

std::size_t letter_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? std::uint32_t{static_cast<unsigned char>(text[i])} : 0U;
  };
  const std::uint32_t first = byte(0), second = byte(1);
  if (first < 0x80) return text.empty() ? 0 : 1;
  const std::size_t length = between(first, 0xC2, 0xDF)   ? 2
                             : between(first, 0xE0, 0xEF) ? 3
                             : between(first, 0xF0, 0xF4) ? 4
                                                          : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!between(byte(i), 0x80, 0xBF)) return 0;
  }
  // Longer than needed, half of a pair, or too large.
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  return length;
}

bool is_control(std::string_view letter) {
  const std::uint32_t code = code_of(letter);
  return code < 0x20 || between(code, 0x7F, 0x9F) || code == 0x061C || code == 0x200E || code == 0x200F ||
         between(code, 0x2028, 0x202E) || between(code, 0x2066, 0x2069);
}

bool is_plain(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(letter_length(text))) {
    const std::size_t length = letter_length(text);
    if (length == 0 || is_control(text.substr(0, length))) return false;
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = letter_length(text);
    const std::string_view letter = text.substr(0, std::max<std::size_t>(1, length));
    const bool shown = length > 0 && (letter == "\n" || !is_control(letter));
    result += shown ? letter : kReplacementLetter;
    text.remove_prefix(letter.size());
  }
  return result;
}

}  // namespace retropg
