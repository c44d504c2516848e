#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace retropg::app {

inline constexpr std::chrono::milliseconds kGnuplotTimeout{60'000};

/// Runs the script NAME.gp in a folder three times, at the same time, to draw NAME.png, NAME.svg and NAME.pdf, which
/// are removed first. Returns an error message in one short line, also if gnuplot draws nothing or takes longer than
/// the timeout; or an empty string. The same data make the same bytes. Throws RunError if the PDF cannot be written.
std::string run_gnuplot(const std::filesystem::path& folder, const std::string& name,
                        std::chrono::milliseconds timeout = kGnuplotTimeout);

}  // namespace retropg::app
