#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace retropg {

/// XXH3 (64 bits) of the bytes. Guards against damage, not against intent.
std::uint64_t checksum(std::string_view bytes);

/// The same of bytes in two pieces.
std::uint64_t checksum(std::string_view head, std::string_view tail);

/// The same as 16 hexadecimal digits.
std::string checksum_text(std::string_view bytes);

}  // namespace retropg
