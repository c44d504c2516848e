#include "retropg/storage/run_history.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"
#include "retropg/core/function_ref.hpp"
#include "retropg/storage/log_line.hpp"
#include "retropg/storage/read_lines.hpp"
#include "retropg/storage/run_log.hpp"

namespace retropg {
namespace {

using Json = nlohmann::json;

/// Calls `read` with every line; what it throws is the line's problem.
void for_each_line(const Place& file, FunctionRef<void(const Line&)> read) {
  read_lines(file, [&](const Line& line) {
    try {
      read(line);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: line {}: {}", file.string(), line.number, error.what()));
    }
    return true;
  });
}

std::size_t column(std::string_view name) {
  const std::vector<std::string_view> names = cells_of(kProgressColumns);
  std::size_t at = 0;
  while (names[at] != name) ++at;
  return at;
}

struct Sum {
  double total = 0.0;
  Index count = 0;
};

void add(std::map<Index, Sum>& sums, Index age, const Json& batch, const char* key) {
  const auto value = batch.find(key);
  require(value != batch.end() && (value->is_number() || value->is_null()),
          fmt::format("has a batch without a number '{}'", key));
  if (value->is_null()) return;
  Sum& sum = sums[age];
  sum.total += value->get<double>();
  ++sum.count;
}

std::map<Index, double> means_of(const std::map<Index, Sum>& sums) {
  std::map<Index, double> means;
  for (const auto& [age, sum] : sums) means[age] = sum.total / static_cast<double>(sum.count);
  return means;
}

}  // namespace

RunHistory read_history(const Place& run) {
  static const std::size_t columns = cells_of(kProgressColumns).size(), trajectories = column("trajectories"),
                           return_mean = column("return_mean"), ess = column("ess"), log_d2 = column("log_d2_max");
  RunHistory history;
  for_each_line(run / "progress.csv", [&](const Line& line) {
    if (line.number == 1) return require(line.text == kProgressColumns, "is not the header of this file");
    const std::vector<std::string_view> cells = cells_of(line.text);
    require(cells.size() == columns, fmt::format("has {} cells; expected {}", cells.size(), columns));
    const auto collected = static_cast<double>(whole_number_in(cells[trajectories]));
    require(collected > (history.trajectories.empty() ? 0.0 : history.trajectories.back()),
            "counts no more trajectories than the line before");
    history.trajectories.push_back(collected);
    history.return_mean.push_back(number_in(cells[return_mean]));
    history.effective_sample_size.push_back(number_in(cells[ess]));
    history.log_divergence_max.push_back(number_in(cells[log_d2]));
  });
  return history;
}

CoefficientsByAge read_coefficients(const Place& run, Index iterations) {
  if (!has_metrics(run)) return {};
  std::map<Index, Sum> alpha, lambda;
  for_each_line(run / "metrics.jsonl", [&](const Line& line) {
    const Json json = Json::parse(line.text, nullptr, false);
    require(json.is_object() && json.contains("iteration") && json["iteration"].is_number_integer() &&
                json.contains("batches") && json["batches"].is_array(),
            "is not a JSON object with an iteration and its batches");
    if (json["iteration"].get<Index>() <= iterations / 2) return;
    for (const Json& batch : json["batches"]) {
      require(batch.is_object() && batch.contains("age") && batch["age"].is_number_integer(),
              "has a batch without a whole number 'age'");
      const auto age = batch["age"].get<Index>();
      add(alpha, age, batch, "alpha");
      add(lambda, age, batch, "lambda");
    }
  });
  return {.alpha = means_of(alpha), .lambda = means_of(lambda)};
}

bool has_metrics(const Place& run) {
  return is_there(run / "metrics.jsonl");
}

}  // namespace retropg
