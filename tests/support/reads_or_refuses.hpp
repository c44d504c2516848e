#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "retropg/core/error.hpp"
#include "support/peak_memory.hpp"

namespace retropg::test {

/// Calls read() on a damaged file of `size` bytes: it succeeds, or throws an Error of one short line, and in no case
/// does it take much more memory than the file. Returns whether it succeeded.
template <typename Read>
bool reads_or_refuses(std::size_t size, const Read& read) {
  constexpr std::size_t kTimes = 20, kMore = 1 << 20, kLongest = 1000;
  const PeakMemory peak;
  bool read_it = false;
  try {
    read();
    read_it = true;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), kLongest) << message.substr(0, kLongest);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an Error: " << error.what();
  }
  EXPECT_LE(peak.bytes(), kTimes * size + kMore) << "for a file of " << size << " bytes";
  return read_it;
}

}  // namespace retropg::test
