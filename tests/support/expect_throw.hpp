#pragma once

#include <gtest/gtest.h>

#include <string>
#include <typeinfo>

#include "retropg/core/error.hpp"

namespace retropg::test {

/// Expects that f() throws an E and nothing derived from it, so that an Error (the input was wrong) is told from a
/// RunError (the run was), and that its message is one line that contains `text`.
template <typename E = Error, typename F>
void expect_throw(F f, const std::string& text) {
  try {
    f();
    ADD_FAILURE() << "accepted; expected: " << text;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(typeid(error) == typeid(E)) << "another kind of error: " << message;
    EXPECT_NE(message.find(text), std::string::npos) << "got: " << message << "\nexpected: " << text;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace retropg::test
