#include "retropg/experiment/finished_run.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr std::string_view kFirstColumns = "iteration,trajectories,steps,return_mean,";

/// Takes the number before the next comma off the line.
template <typename Number>
bool take(std::string_view& line, Number& number) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end == line.data() + line.size() || *end != ',') return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

struct Timing {
  Index iteration, steps;
  double seconds;
};

Timing last_timing(const Place& file) {
  const std::string text = read_file(file);
  const std::size_t end = text.rfind('\n');
  const std::size_t begin = end == std::string::npos || end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
  try {
    const auto line = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(first), text.end());
    return {line.at("iteration").get<Index>(), line.at("steps").get<Index>(), line.at("seconds").get<double>()};
  } catch (const nlohmann::json::exception&) {
    throw Error(file.string() + ": does not end with the line of a run that is done");
  }
}

}  // namespace

void add_point(Curve& curve, double trajectories, double return_mean) {
  if (std::isnan(return_mean)) return;
  curve.x.push_back(trajectories);
  curve.y.push_back(return_mean);
}

FinishedRun read_finished_run(const Place& folder) {
  const Place file = folder / "progress.csv";
  const std::string text = read_file(file);
  FinishedRun run;
  Index rows = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    const auto require_whole = [&](bool whole) {
      require(whole, file.string() + ": line " + std::to_string(rows + 1) + " is damaged");
    };
    require_whole(end != std::string_view::npos);
    if (rows == 0) {
      require_whole(line.starts_with(kFirstColumns));
    } else {
      Index iteration = 0, trajectories = 0;
      double return_mean = 0.0;
      require_whole(take(line, iteration) && iteration == rows && take(line, trajectories) && take(line, run.steps) &&
                    take(line, return_mean));
      add_point(run.curve, static_cast<double>(trajectories), return_mean);
    }
    ++rows;
    rest.remove_prefix(end + 1);
  }
  const Timing last = last_timing(folder / "timing.jsonl");
  require(last.iteration == rows - 1 && last.steps == run.steps,
          file.string() + ": has lost lines: the run was done after iteration " + std::to_string(last.iteration));
  run.seconds = last.seconds;
  return run;
}

}  // namespace retropg
