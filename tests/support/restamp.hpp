#pragma once

#include <bit>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/checksum.hpp"
#include "retropg/storage/safetensors.hpp"

namespace retropg::test {

template <typename Number>
std::string_view as_bytes(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// The bytes of numbers at the end of a whole safetensors file.
inline std::size_t data_size(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  return bytes.size() - sizeof(length) - length;
}

/// Gives a damaged checkpoint the checksums of its contents and of its window file's, so that what lies behind the
/// checksums is reached.
inline void restamp(Tensors& checkpoint, std::string_view window) {
  const auto offset = checkpoint.counts.find("run/window_offset"), sizes = checkpoint.counts.find("run/window_sizes");
  if (offset != checkpoint.counts.end() && offset->second.size() == 1 && sizes != checkpoint.counts.end()) {
    std::vector<Index>& checksums = checkpoint.counts["run/window_checksums"];
    checksums.resize(sizes->second.size());
    auto at = static_cast<std::uint64_t>(offset->second[0]);
    for (std::size_t i = 0; i < checksums.size() && at <= window.size(); ++i) {
      const auto size = static_cast<std::uint64_t>(sizes->second[i]);
      checksums[i] = std::bit_cast<Index>(checksum(window.substr(at, size)));
      at = size <= window.size() ? at + size : window.size() + 1;
    }
  }
  auto& metadata = checkpoint.metadata;
  std::erase_if(metadata, [](const auto& entry) { return entry.first.starts_with("checksum"); });
  metadata["configuration_hash"] = checksum_text(metadata["configuration"]);
  for (const auto& [name, numbers] : checkpoint.values) metadata["checksum " + name] = checksum_text(as_bytes(numbers));
  for (const auto& [name, numbers] : checkpoint.counts) metadata["checksum " + name] = checksum_text(as_bytes(numbers));
  std::string text;
  for (const auto& [key, value] : metadata) text += fmt::format("{} {} {}{}\n", key.size(), value.size(), key, value);
  metadata["checksum"] = checksum_text(text);
}

/// The same for the bytes of a checkpoint, which stay as they are if they are no safetensors file.
inline std::string restamped(std::string bytes, std::string_view window) {
  try {
    Tensors tensors = parse_safetensors(bytes, "checkpoint");
    restamp(tensors, window);
    return to_safetensors(tensors);
  } catch (const Error&) {
    return bytes;
  }
}

}  // namespace retropg::test
