#pragma once

#include <gtest/gtest.h>

#include <string>

#include "retropg/core/error.hpp"

namespace retropg {

/// Expects an Error whose text contains `text`.
template <typename F>
void expect_error(F f, const std::string& text) {
  try {
    f();
    ADD_FAILURE() << "accepted; expected: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

}  // namespace retropg
