#include "json_text.hpp"

#include <string_view>

#include <fmt/format.h>

#include "retropg/core/printable.hpp"

namespace retropg::app {
namespace {

/// The control characters that JSON allows as they are have two or three bytes in UTF-8.
std::string escaped(std::string_view letter) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(letter[i])); };
  const unsigned code = letter.size() == 1   ? byte(0)
                        : letter.size() == 2 ? (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU)
                                             : (byte(0) & 0xFU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  return fmt::format("\\u{:04x}", code);
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& object) {
  const std::string text = object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (std::string_view left = text; !left.empty();) {
    const std::string_view letter = left.substr(0, letter_length(left));
    result += letter != "\n" && is_control(letter) ? escaped(letter) : std::string(letter);
    left.remove_prefix(letter.size());
  }
  return result;
}

}  // namespace retropg::app
