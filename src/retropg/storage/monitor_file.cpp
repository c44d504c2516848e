#include "retropg/storage/monitor_file.hpp"

#include <cmath>
#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace retropg {
namespace {

double rounded(double value) {
  constexpr double kDecimals = 1e6;
  const double scaled = std::round(value * kDecimals) / kDecimals;
  return std::isfinite(scaled) ? scaled : value;
}

}  // namespace

std::string monitor_header(const std::string& environment, double start) {
  const nlohmann::ordered_json header = {{"t_start", rounded(start)}, {"env_id", environment}};
  return fmt::format("#{}\n{}\n", header.dump(), kMonitorColumns);
}

void append_monitor(std::string& text, std::span<const Outcome> outcomes, double seconds) {
  const std::string time = fmt::format(FMT_COMPILE("{}"), rounded(seconds));
  for (const Outcome& outcome : outcomes) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},{},{}\n"), rounded(outcome.value), outcome.length, time);
  }
}

}  // namespace retropg
