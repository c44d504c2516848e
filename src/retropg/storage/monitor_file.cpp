#include "retropg/storage/monitor_file.hpp"

#include <cmath>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace retropg {
namespace {

double rounded(double value) {
  constexpr double kDecimals = 1e6;
  const double scaled = std::nearbyint(value * kDecimals) / kDecimals;
  return std::isfinite(scaled) ? scaled : value;
}

}  // namespace

std::string monitor_header(const std::string& environment, double start) {
  const nlohmann::ordered_json header = {{"t_start", rounded(start)}, {"env_id", environment}};
  return fmt::format("#{}\n{}\n", header.dump(), kMonitorColumns);
}

void append_monitor(std::string& text, std::span<const Outcome> outcomes, double seconds) {
  char end[32], begin[64];  // the longest double has 24 characters, the longest whole number 20
  char* const end_of_line = fmt::format_to(end, FMT_COMPILE(",{}\n"), rounded(seconds));
  for (const Outcome& outcome : outcomes) {
    char* const rest = fmt::format_to(begin, FMT_COMPILE("{},{}"), rounded(outcome.value), outcome.length);
    text.append(begin, rest).append(end, end_of_line);
  }
}

}  // namespace retropg
