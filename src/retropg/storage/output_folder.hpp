#pragma once

#include <filesystem>
#include <string>

namespace retropg {

/// The current UTC time: "2026-11-16T02:40:00Z".
std::string utc_time();

/// PARENT/NAME__<utc>, followed by a number if that already exists.
std::filesystem::path dated_folder(const std::filesystem::path& parent, const std::string& name);

/// Throws Error if the folder exists or cannot be created; creates nothing.
void check_output_folder(const std::filesystem::path& path);

}  // namespace retropg
