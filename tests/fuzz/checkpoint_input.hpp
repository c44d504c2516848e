#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace retropg::test {

/// An input of the checkpoint target: which sample's trainer is to be restored, and the bytes of its two files.
struct CheckpointInput {
  std::uint8_t sample = 0;
  std::string_view checkpoint, window;

  static constexpr std::size_t kHead = 1 + sizeof(std::uint16_t);  // the sample, then the size of the checkpoint

  static CheckpointInput parse(std::string_view bytes) {
    if (bytes.size() < kHead) return {};
    std::uint16_t size = 0;
    std::memcpy(&size, bytes.data() + 1, sizeof(size));
    const std::string_view files = bytes.substr(kHead);
    const std::size_t first = std::min<std::size_t>(size, files.size());
    return {static_cast<std::uint8_t>(bytes[0]), files.substr(0, first), files.substr(first)};
  }

  std::string bytes() const {
    const auto size = static_cast<std::uint16_t>(checkpoint.size());
    std::string text(1, static_cast<char>(sample));
    text.append(reinterpret_cast<const char*>(&size), sizeof(size));
    return text.append(checkpoint).append(window);
  }
};

}  // namespace retropg::test
