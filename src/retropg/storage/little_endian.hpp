#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace retropg {

static_assert(std::endian::native == std::endian::little, "the files of this library are little-endian");

/// Appends the bytes of a number.
template <typename Number>
void append_bytes(std::string& to, Number value) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &value, sizeof(Number));
  to.append(bytes, sizeof(Number));
}

/// The bytes of numbers.
template <typename Number>
std::string_view bytes_of(std::span<const Number> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// The number whose bytes begin there; the text must be long enough.
template <typename Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(Number));
  return value;
}

}  // namespace retropg
