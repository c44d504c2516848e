#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace retropg::app {

/// The object as the program prints it. Bytes that are not UTF-8, which a path may hold, are replaced, and control
/// characters (see `is_control`) are written as \u and four digits.
std::string json_text(const nlohmann::ordered_json& object);

}  // namespace retropg::app
