#pragma once

#include <gtest/gtest.h>

#include <string>
#include <typeinfo>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/core/error.hpp"

namespace retropg::test {

/// What a call complains of. A RunError would say that the input was right.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return typeid(error) == typeid(Error) ? error.what() : std::string("while running: ") + error.what();
  }
  return "no error";
}

inline std::string error_in(const std::string& text) {
  return error_of([&] { parse_configuration(text, "run.toml"); });
}

inline std::string set_error(const std::string& assignment) {
  Configuration configuration;
  return error_of([&] { apply_setting(configuration, assignment); });
}

/// What is written, and what is said of it.
struct Refusal {
  std::string written, error;
};

inline void expect_refused_texts(const std::vector<Refusal>& refusals) {
  for (const auto& [written, error] : refusals) EXPECT_EQ(error_in(written), error);
}

inline void expect_refused_settings(const std::vector<Refusal>& refusals) {
  for (const auto& [written, error] : refusals) EXPECT_EQ(set_error(written), error);
}

/// The defaults with one setting on top.
inline Configuration with(const std::string& assignment) {
  Configuration configuration;
  apply_setting(configuration, assignment);
  return configuration;
}

}  // namespace retropg::test
