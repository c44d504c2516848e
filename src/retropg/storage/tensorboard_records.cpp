#include "retropg/storage/tensorboard_records.hpp"

#include <bit>

#include <fmt/format.h>

#include "retropg/storage/crc.hpp"
#include "retropg/storage/little_endian.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLength = sizeof(std::uint64_t), kChecksum = sizeof(std::uint32_t);
constexpr std::size_t kFrame = kLength + 2 * kChecksum;  // bytes of a record besides its data

std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U;
}

}  // namespace

void append_record(std::string& to, std::string_view data) {
  const std::size_t begin = to.size();
  append_bytes(to, std::uint64_t{data.size()});
  append_bytes(to, masked_crc(std::string_view(to).substr(begin)));
  to += data;
  append_bytes(to, masked_crc(data));
}

RecordsFound examine_records(std::string_view bytes) {
  RecordsFound found;
  while (!bytes.empty()) {
    const auto damaged = [&](const char* what) {
      found.problem = fmt::format("record {}: the checksum of its {} is wrong", found.count + 1, what);
      return found;
    };
    const auto torn = [&] {
      found.problem = fmt::format("ends within record {}", found.count + 1);
      found.torn = true;
      return found;
    };
    if (bytes.size() < kFrame) return torn();
    if (number_at<std::uint32_t>(bytes, kLength) != masked_crc(bytes.substr(0, kLength))) return damaged("length");
    const auto length = number_at<std::uint64_t>(bytes, 0);
    if (bytes.size() - kFrame < length) return torn();
    const std::string_view data = bytes.substr(kLength + kChecksum, length);
    bytes.remove_prefix(kLength + kChecksum + length);
    if (number_at<std::uint32_t>(bytes, 0) != masked_crc(data)) return damaged("data");
    bytes.remove_prefix(kChecksum);
    ++found.count;
  }
  return found;
}

}  // namespace retropg
