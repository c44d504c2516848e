#pragma once

#include <span>
#include <string>
#include <string_view>

#include "retropg/training/trainer.hpp"

namespace retropg {

/// The second line of monitor.csv: return, length, seconds.
inline constexpr std::string_view kMonitorColumns = "r,l,t";

/// The first two lines of monitor.csv as Stable-Baselines3's Monitor writes them; `start` of the run in seconds since
/// 1970.
std::string monitor_header(const std::string& environment, double start);

/// Appends a line per trajectory: its return, its steps, and when its iteration ended. Times and returns have six
/// decimals at most.
void append_monitor(std::string& text, std::span<const Outcome> outcomes, double seconds);

}  // namespace retropg
