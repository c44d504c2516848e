#include "retropg/storage/checksum.hpp"

#define XXH_INLINE_ALL         // no library to link
#define XXH_NO_INLINE_HINTS 1  // GCC cannot follow them without full optimization
#include <xxhash.h>

#include <fmt/format.h>

namespace retropg {

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t checksum(std::string_view head, std::string_view tail) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, head.data(), head.size());
  XXH3_64bits_update(&state, tail.data(), tail.size());
  return XXH3_64bits_digest(&state);
}

std::string checksum_text(std::string_view bytes) {
  return fmt::format("{:016x}", checksum(bytes));
}

}  // namespace retropg
