#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg::test {

/// Damages files in the ways of disks, editors and attackers; the same seed damages in the same way everywhere.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(random_() % limit); }

  /// The bytes after one to four changes.
  std::string operator()(std::string bytes) {
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(bytes);
    return bytes;
  }

  /// The same, but only in the last `size` bytes and without moving any.
  std::string in_place(std::string bytes, std::size_t size) {
    const std::size_t first = bytes.size() - size;
    for (std::size_t changes = 1 + below(4); changes > 0 && size > 0; --changes) {
      change_in_place(bytes, first + below(size));
    }
    return bytes;
  }

  double extreme_number() {
    using Limits = std::numeric_limits<double>;
    static constexpr std::array kNumbers{0.0,
                                         -0.0,
                                         1.0,
                                         -1.0,
                                         0.5,
                                         1e15,
                                         1e300,
                                         9007199254740993.0,
                                         Limits::max(),
                                         -Limits::max(),
                                         Limits::min(),
                                         Limits::denorm_min(),
                                         1e19,
                                         -1e19,
                                         2.0,
                                         Limits::quiet_NaN(),
                                         Limits::infinity(),
                                         -Limits::infinity()};
    return kNumbers[below(kNumbers.size())];
  }
  Index extreme_count() {
    using Limits = std::numeric_limits<Index>;
    static constexpr std::array<Index, 14> kCounts{0,
                                                   1,
                                                   -1,
                                                   2,
                                                   3,
                                                   1 << 20,
                                                   1 << 30,
                                                   Index{1} << 40,
                                                   Index{1} << 53,
                                                   Index{1} << 62,
                                                   Limits::max(),
                                                   Limits::min(),
                                                   Limits::max() - 1,
                                                   -8};
    return kCounts[below(kCounts.size())];
  }

 private:
  static constexpr std::array<std::string_view, 34> kTexts{"-1",
                                                           "0",
                                                           "18446744073709551615",
                                                           "9223372036854775808",
                                                           "1e999",
                                                           "nan",
                                                           "-inf",
                                                           "1e-999",
                                                           "",
                                                           "00",
                                                           "\"",
                                                           "'",
                                                           "[",
                                                           "]",
                                                           "{",
                                                           "}",
                                                           ",",
                                                           ":",
                                                           "=",
                                                           "#",
                                                           "\n",
                                                           "\r\n",
                                                           "\\u0000",
                                                           "\\ud800",
                                                           "\xff",
                                                           "\xc3",
                                                           "\"\"\"",
                                                           "null",
                                                           "true",
                                                           "[[",
                                                           "a.b.",
                                                           " = ",
                                                           "1979-05-27",
                                                           "[1, 2"};

  char byte() { return static_cast<char>(random_() & 0xff); }

  void change(std::string& bytes) {
    const std::size_t at = below(bytes.size()), left = bytes.size() - at;
    const std::size_t length = below(std::min<std::size_t>(left, 64)) + (left > 0 ? 1 : 0);
    switch (below(9)) {
      case 0: bytes.resize(at); break;
      case 1: bytes.erase(at, length); break;
      case 2: bytes.insert(at, bytes.substr(at, length)); break;
      case 3: swap_pieces(bytes, at, length); break;
      case 4: bytes.insert(at, kTexts[below(kTexts.size())]); break;
      case 5: replace_digits(bytes, at); break;
      case 6:
        for (std::size_t i = 0; i < length; ++i) bytes[at + i] = byte();
        break;
      default:
        if (left > 0) change_in_place(bytes, at);
    }
  }

  void change_in_place(std::string& bytes, std::size_t at) {
    switch (below(3)) {
      case 0: put(bytes, at, extreme_number()); break;
      case 1: put(bytes, at, extreme_count()); break;
      default: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    }
  }

  static void swap_pieces(std::string& bytes, std::size_t at, std::size_t length) {
    const std::string piece = bytes.substr(at, length);
    bytes.erase(at, length);
    bytes.insert(bytes.size() / 2, piece);
  }

  /// Puts another number in place of the digits after a position.
  void replace_digits(std::string& bytes, std::size_t at) {
    constexpr std::string_view kDigits = "0123456789.-";
    const std::size_t first = bytes.find_first_of(kDigits, at);
    if (first == std::string::npos) return;
    const std::size_t last = std::min(bytes.find_first_not_of(kDigits, first), bytes.size());
    bytes.replace(first, last - first, kTexts[below(10)]);
  }

  /// Overwrites one of the numbers that are stored as eight bytes.
  template <typename Number>
  static void put(std::string& bytes, std::size_t at, Number number) {
    static_assert(sizeof(number) == 8);
    at += (bytes.size() - at) % 8;  // they end with the file
    if (at == bytes.size()) return;
    const char* raw = reinterpret_cast<const char*>(&number);
    std::copy_n(raw, 8, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::mt19937_64 random_;
};

}  // namespace retropg::test
