#pragma once

#include <cstdint>
#include <string_view>

namespace retropg {

/// The checksum of zip files (CRC-32).
std::uint32_t crc32(std::string_view bytes);

/// Castagnoli's, which TensorBoard's files have (CRC-32C).
std::uint32_t crc32c(std::string_view bytes);

}  // namespace retropg
