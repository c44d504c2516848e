#pragma once

#include <chrono>
#include <string>

#include "retropg/storage/place.hpp"

namespace retropg::app {

inline constexpr std::chrono::milliseconds kGnuplotTimeout{60'000};

/// What STEM.dat and STEM.gp hold.
struct GnuplotInput {
  std::string data, script;
};

/// Runs the script three times, at the same time, to draw STEM.png, STEM.svg and STEM.pdf, which are removed first.
/// gnuplot, which would follow links, works in a folder of its own, from which the figures are copied. Returns an error
/// message in one short line, also if gnuplot draws nothing or takes longer than the timeout; or an empty string. The
/// same data make the same bytes. Throws RunError if a file cannot be written.
std::string run_gnuplot(const Place& stem, const GnuplotInput& input,
                        std::chrono::milliseconds timeout = kGnuplotTimeout);

}  // namespace retropg::app
