#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "retropg/configuration/explained_key.hpp"

namespace retropg::app {

/// The keys one below the other, in lines of at most `width` characters.
std::string to_text(const std::vector<ExplainedKey>& keys, std::size_t width);
nlohmann::ordered_json to_json(const std::vector<ExplainedKey>& keys);

}  // namespace retropg::app
