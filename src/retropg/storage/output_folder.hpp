#pragma once

#include <filesystem>
#include <string>

namespace retropg {

/// The current UTC time: "2026-11-16T02:40:00Z".
std::string utc_time();

/// Throws Error if the folder exists or cannot be created; creates nothing.
void check_output_folder(const std::filesystem::path& path);

/// Makes a folder that did not exist, with the folders above it. Throws Error if it exists, also if another process
/// makes it at the same moment, or cannot be created.
void make_output_folder(const std::filesystem::path& path);

/// Makes the folder PARENT/NAME__<utc>, followed by a number if that exists, and returns its path.
std::filesystem::path make_dated_folder(const std::filesystem::path& parent, const std::string& name);

}  // namespace retropg
