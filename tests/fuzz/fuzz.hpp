#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "retropg/core/error.hpp"

namespace retropg::test {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program, which libFuzzer reports with the input.
inline void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not as promised: %s\n", what);
  std::abort();
}

/// Calls read(): it succeeds or throws an Error of one short line; any other exception ends the program. Returns
/// whether it succeeded.
template <typename Read>
bool reads_or_refuses(const Read& read) {
  constexpr std::size_t kLongest = 1000;
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    expect(message.find('\n') == std::string::npos, "a message is one line");
    expect(message.size() < kLongest, "a message is short");
    return false;
  }
}

}  // namespace retropg::test
