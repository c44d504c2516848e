#pragma once

#include <gtest/gtest.h>

#include <string>

#include "retropg/core/error.hpp"

namespace retropg::test {

/// Expects that f() throws an E, and that its message is one line that contains `text`.
template <typename E = Error, typename F>
void expect_throw(F f, const std::string& text) {
  try {
    f();
    ADD_FAILURE() << "accepted; expected: " << text;
  } catch (const E& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(text), std::string::npos) << "got: " << message << "\nexpected: " << text;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace retropg::test
