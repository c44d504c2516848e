#include "retropg/storage/npz.hpp"

#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/crc.hpp"
#include "retropg/storage/little_endian.hpp"

namespace retropg {
namespace {

constexpr std::size_t kNpyHeader = 128;  // long enough for two dimensions
constexpr std::size_t kLocalHeader = 30;
constexpr std::uint16_t kZipVersion = 20;
constexpr std::uint16_t kFirstOfJanuary1980 = 0x21;  // the earliest date of a zip archive

std::string file_name(std::string_view array) {
  return std::string(array) + ".npy";
}

/// Format 1.0: magic, the length of the rest, a Python dictionary, spaces up to the end of the header.
std::string npy_header(const NpzArray& array) {
  const char* const comma = array.shape.size() == 1 ? "," : "";  // a tuple of one number
  std::string text = fmt::format("{{'descr': '<{}8', 'fortran_order': False, 'shape': ({}{}), }}",
                                 array.whole ? 'i' : 'f', fmt::join(array.shape, ", "), comma);
  std::string header("\x93NUMPY\x01\x00", 8);
  append_bytes(header, static_cast<std::uint16_t>(kNpyHeader - header.size() - sizeof(std::uint16_t)));
  header += text;
  header.resize(kNpyHeader - 1, ' ');
  return header + '\n';
}

/// What the header of a file in the archive and its entry in the directory have in common.
void append_entry(std::string& to, std::uint32_t checksum, std::uint32_t size, std::size_t name) {
  append_bytes(to, kZipVersion);
  append_bytes(to, std::uint32_t{0});  // no flags, not compressed
  append_bytes(to, std::uint16_t{0});  // midnight
  append_bytes(to, kFirstOfJanuary1980);
  append_bytes(to, checksum);
  append_bytes(to, size);  // compressed
  append_bytes(to, size);
  append_bytes(to, static_cast<std::uint16_t>(name));
  append_bytes(to, std::uint16_t{0});  // no extra field
}

std::uint32_t offset_in_zip(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::uint32_t>::max()) throw RunError("evaluations need more than 4 GB in an .npz");
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace

std::size_t npz_data_offset(std::string_view name) {
  return kLocalHeader + file_name(name).size() + kNpyHeader;
}

std::string npz_bytes(std::span<const NpzArray> arrays) {
  std::string bytes, directory;
  for (const NpzArray& array : arrays) {
    const std::uint32_t offset = offset_in_zip(bytes.size());
    const std::string name = file_name(array.name);
    const std::string content = npy_header(array).append(array.data);
    const std::uint32_t checksum = crc32(content), size = offset_in_zip(content.size());
    bytes += "PK\x03\x04";
    append_entry(bytes, checksum, size, name.size());
    bytes.append(name).append(content);
    directory += "PK\x01\x02";
    append_bytes(directory, kZipVersion);  // that made it
    append_entry(directory, checksum, size, name.size());
    directory.append(10, '\0');  // no comment, first disk, attributes of no system
    append_bytes(directory, offset);
    directory += name;
  }
  const std::uint32_t begin = offset_in_zip(bytes.size());
  const auto count = static_cast<std::uint16_t>(arrays.size());
  bytes += directory;
  bytes += "PK\x05\x06";
  append_bytes(bytes, std::uint32_t{0});  // first disk
  append_bytes(bytes, count);             // on it
  append_bytes(bytes, count);
  append_bytes(bytes, static_cast<std::uint32_t>(directory.size()));
  append_bytes(bytes, begin);
  append_bytes(bytes, std::uint16_t{0});  // no comment
  return bytes;
}

}  // namespace retropg
