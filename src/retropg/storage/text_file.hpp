#pragma once

#include <filesystem>
#include <string>

namespace retropg {

/// Throws RunError if the file cannot be written.
void write_text_file(const std::filesystem::path& path, const std::string& text);

}  // namespace retropg
