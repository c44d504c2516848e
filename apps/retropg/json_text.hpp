#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace retropg::app {

/// The object as the program prints it. Bytes that are not UTF-8, which a path may hold, are replaced.
inline std::string json_text(const nlohmann::ordered_json& object) {
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace retropg::app
