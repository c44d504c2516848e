#pragma once

#include <string>

#include "retropg/configuration/configuration.hpp"
#include "retropg/core/error.hpp"

namespace retropg::test {

/// What a call complains of.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
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

/// The defaults with one setting on top.
inline Configuration with(const std::string& assignment) {
  Configuration configuration;
  apply_setting(configuration, assignment);
  return configuration;
}

}  // namespace retropg::test
