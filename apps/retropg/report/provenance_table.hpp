#pragma once

#include <filesystem>

#include "report/html.hpp"

namespace retropg::app {

/// Versions and dates of every start, from a results folder's provenance.json. What the file lacks stays empty.
Html provenance_table(const std::filesystem::path& file);

}  // namespace retropg::app
