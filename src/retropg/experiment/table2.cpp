#include "retropg/experiment/table2.hpp"

#include <chrono>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/experiment/experiment_files.hpp"
#include "retropg/parallel/workers.hpp"

namespace retropg {
namespace {

/// The contents of experiments/table2/experiment.toml.
struct Plan {
  std::string title;
  Index runs = 0, reference_iterations = 0;
  std::vector<Index> n_omega, omega;
  std::vector<RatioCell> ratios;  // the paper's numbers, row by row
  std::vector<TimeCell> times;
};

std::vector<Index> whole_numbers(const toml::array& array) {
  std::vector<Index> result;
  for (const toml::node& node : array) result.push_back(node.value<Index>().value());
  return result;
}

Plan read_plan() {
  const toml::table file = toml::parse(experiment_files().at("table2/experiment"));
  Plan plan{.title = file["title"].value<std::string>().value(),
            .runs = file["runs"].value<Index>().value(),
            .reference_iterations = file["reference_iterations"].value<Index>().value(),
            .n_omega = whole_numbers(*file["n_omega"].as_array()),
            .omega = whole_numbers(*file["omega"].as_array()),
            .ratios = {},
            .times = {}};
  for (const toml::node& node : *file["ratio"].as_array()) {
    const toml::table& row = *node.as_table();
    for (std::size_t column = 0; column < plan.n_omega.size(); ++column) {
      const toml::array& values = *row["values"].as_array()->at(column).as_array();
      plan.ratios.push_back(
          {.omega = row["omega"].value<Index>().value(),
           .n_omega = plan.n_omega[column],
           .ours = {},
           .paper = values.at(0).value<double>().value(),
           .paper_interval = {values.at(1).value<double>().value(), values.at(2).value<double>().value()}});
    }
  }
  for (const toml::node& node : *file["seconds"].as_array()) {
    const toml::table& row = *node.as_table();
    for (std::size_t column = 0; column < plan.n_omega.size(); ++column) {
      plan.times.push_back({.omega = row["omega"].value<Index>().value(),
                            .n_omega = plan.n_omega[column],
                            .paper_seconds = row["values"].as_array()->at(column).value<double>().value()});
    }
  }
  return plan;
}

Arm make_arm(const Plan& plan, const TimeCell& cell) {
  Arm arm;
  apply_text(arm.configuration, experiment_files().at("table2/base"), "experiments/table2/base.toml");
  arm.configuration.algo.name = cell.omega == 1 ? "gpomdp" : "rpg";
  arm.configuration.algo.batch = cell.n_omega / cell.omega;
  arm.configuration.algo.window = cell.omega;
  arm.configuration.train.iterations = plan.reference_iterations * cell.omega;
  arm.label = label(cell);
  arm.cost = static_cast<double>(cell.n_omega);
  return arm;
}

}  // namespace

std::string label(const TimeCell& cell) {
  return cell.omega == 1 ? fmt::format("GPOMDP, N = {}", cell.n_omega)
                         : fmt::format("RPG, N = {}, window {}", cell.n_omega / cell.omega, cell.omega);
}

ReadyTable2 prepare_table2(const Table2Options& options) {
  const Plan plan = read_plan();
  ReadyTable2 ready{.options = options,
                    .table = {.title = plan.title, .ratios = plan.ratios, .times = plan.times, .curves = {}},
                    .arms = {}};
  if (options.runs == 0) ready.options.runs = plan.runs;
  ready.table.runs = ready.options.runs;
  for (const TimeCell& cell : plan.times) ready.arms.push_back(make_arm(plan, cell));
  return ready;
}

ResultsPlan results_plan(const ReadyTable2& ready) {
  return {.items = {{"title", ready.table.title},
                    {"runs", ready.options.runs},
                    {"seed", static_cast<Index>(ready.options.seed)},
                    {"resamples", ready.options.resamples}},
          .arms = ready.arms,
          .expected_areas = {}};
}

Table2 run_table2(const ReadyTable2& ready, const RunProgress& progress, RunStore* store) {
  const auto start = std::chrono::steady_clock::now();
  const Table2Options& options = ready.options;
  Table2 table = ready.table;
  std::vector<ArmResult> results =
      run_arms(ready.arms, table.runs, independent_seeds(options.seed), options.threads, progress, store);

  const std::size_t columns = table.times.size() - table.ratios.size();  // the first row of `times` is GPOMDP
  for (std::size_t i = 0; i < results.size(); ++i) {
    table.steps += results[i].steps;
    table.times[i].seconds = mean(results[i].seconds);
    table.curves.push_back(band(results[i].curves));
  }
  Workers(options.threads).for_ranges(as_index(table.ratios.size()), 1, [&](Index first, Index last) {
    for (auto i = as_size(first); i < as_size(last); ++i) {
      RatioCell& cell = table.ratios[i];
      // The other rows of `times` follow the rows of `ratios`.
      cell.ours = speedup_with_intervals(results[i % columns].curves, results[columns + i].curves,
                                         static_cast<double>(cell.omega + 1), options.seed, options.resamples);
      cell.agrees = cell.ours.paper.low <= cell.paper_interval.high && cell.paper_interval.low <= cell.ours.paper.high;
    }
  });
  table.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return table;
}

}  // namespace retropg
