#include "retropg/storage/result_file.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json estimate(const EstimatedReturn& estimated) {
  if (estimated.effective <= 0.0) return {};
  return {{"mean", estimated.mean},
          {"low", number(estimated.low)},
          {"high", number(estimated.high)},
          {"trajectories", estimated.trajectories},
          {"effective", estimated.effective}};
}

/// What does not have to be simulated to be known.
Json totals(const RunResult& result) {
  return {{"iterations", result.iterations},
          {"final_return", number(result.final_return)},
          {"best_return", number(result.best_return)},
          {"output", result.output_name}};
}

}  // namespace

void check_result(const std::string& text, const RunResult& expected) {
  const Json json = Json::parse(text, nullptr, false);
  require(json.is_object() && text.ends_with('\n'), "is not a whole JSON object");
  const Json wanted = totals(expected);
  for (const auto& [key, value] : wanted.items()) {
    require(json.contains(key) && json.at(key) == value, "is not the result of this run: '" + key + "' differs");
  }
}

std::string result_json(const RunResult& result) {
  const Json json = {{"iterations", result.iterations},
                     {"trajectories", result.trajectories},
                     {"steps", result.steps},
                     {"dropped", result.dropped},
                     {"skipped", result.skipped},
                     {"final_return", number(result.final_return)},
                     {"best_return", number(result.best_return)},
                     {"output", result.output_name},
                     {"solved", result.solved},
                     {"output_return", estimate(result.output_return)},
                     {"mean_return", result.mean_return ? estimate(*result.mean_return) : Json()}};
  return json.dump(2) + "\n";
}

}  // namespace retropg
