#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "retropg/configuration/configuration.hpp"

namespace retropg::python {

/// How Python asks for no preset.
inline constexpr const char* kNoPreset = "preset='none'";

using SettingsDict = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

/// A value of Python as it is written in TOML. Throws Error if it is none of bool, int, float, str and a sequence of
/// numbers; NumPy's numbers and arrays count as such.
std::string toml_text(nanobind::handle value);

/// Every key with its value, unset ones as None.
SettingsDict as_dict(const Configuration& configuration);

}  // namespace retropg::python
