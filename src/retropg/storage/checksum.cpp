#include "retropg/storage/checksum.hpp"

#define XXH_INLINE_ALL  // no library to link
#include <xxhash.h>

#include <fmt/format.h>

namespace retropg {

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string checksum_text(std::string_view bytes) {
  return fmt::format("{:016x}", checksum(bytes));
}

}  // namespace retropg
