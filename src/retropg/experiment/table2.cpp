#include "retropg/experiment/table2.hpp"

#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/experiment/embedded.hpp"
#include "retropg/experiment/figure.hpp"
#include "retropg/experiment/run_batch.hpp"
#include "retropg/training/text_file.hpp"
#include "retropg/parallel/workers.hpp"

namespace retropg {
namespace {

/// experiments/table2/experiment.toml, read.
struct Plan {
  std::string title;
  Index runs = 0, baseline_iterations = 0;
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
  const toml::table file = toml::parse(embedded_experiments().at("table2/experiment"));
  Plan plan{.title = file["title"].value<std::string>().value(),
            .runs = file["runs"].value<Index>().value(),
            .baseline_iterations = file["baseline_iterations"].value<Index>().value(),
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

std::string label(const TimeCell& cell) {
  return cell.omega == 1 ? fmt::format("GPOMDP, N = {}", cell.n_omega)
                         : fmt::format("RPG, N = {}, window {}", cell.n_omega / cell.omega, cell.omega);
}

Arm make_arm(const Plan& plan, const TimeCell& cell) {
  Arm arm;
  apply_text(arm.configuration, embedded_experiments().at("table2/base"), "experiments/table2/base.toml");
  arm.configuration.algo.name = cell.omega == 1 ? "gpomdp" : "rpg";
  arm.configuration.algo.batch = cell.n_omega / cell.omega;
  arm.configuration.algo.window = cell.omega;
  arm.configuration.train.iterations = plan.baseline_iterations * cell.omega;
  arm.label = label(cell);
  arm.cost = static_cast<double>(cell.n_omega);
  return arm;
}

}  // namespace

Table2 run_table2(const Table2Options& options, const RunProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const Plan plan = read_plan();
  Table2 table{.title = plan.title,
               .runs = options.runs > 0 ? options.runs : plan.runs,
               .ratios = plan.ratios,
               .times = plan.times,
               .curves = {}};
  std::vector<Arm> arms;
  for (const TimeCell& cell : table.times) arms.push_back(make_arm(plan, cell));
  std::vector<ArmResult> results =
      run_arms(arms, table.runs, independent_seeds(options.seed), options.threads, progress);

  const std::size_t columns = plan.n_omega.size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    table.steps += results[i].steps;
    table.times[i].seconds = mean(results[i].seconds);
    table.curves.push_back(band(results[i].curves));
  }
  Workers(options.threads).for_ranges(static_cast<Index>(table.ratios.size()), 1, [&](Index first, Index last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      RatioCell& cell = table.ratios[i];
      // The first row of `times` is GPOMDP, and its rows follow the rows of `ratios`.
      cell.ours = speedup_with_intervals(results[i % columns].curves, results[columns + i].curves,
                                         static_cast<double>(cell.omega + 1), options.seed, options.resamples);
      cell.agrees = cell.ours.paper.low <= cell.paper_interval.high && cell.paper_interval.low <= cell.ours.paper.high;
    }
  });
  table.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return table;
}

std::string format_table2(const Table2& table) {
  std::string text = fmt::format(
      "{}\n\nTable 2a. How many times as many trajectories GPOMDP needs ({} runs; interval found the paper's way;\n"
      "bootstrap over runs beside it)\n\n",
      table.title, table.runs);
  text += fmt::format("  {:>5}  {:>7}   {:<22} {:<16} {:<22} {}\n", "omega", "N omega", "ours (95 %)", "bootstrap",
                      "paper (95 %)", "agrees");
  for (const RatioCell& cell : table.ratios) {
    text += fmt::format(
        "  {:>5}  {:>7}   {:<22} {:<16} {:<22} {}\n", cell.omega, cell.n_omega,
        fmt::format("{:.2f} ({:.2f}-{:.2f})", cell.ours.ratio, cell.ours.paper.low, cell.ours.paper.high),
        fmt::format("{:.2f}-{:.2f}", cell.ours.bootstrap.low, cell.ours.bootstrap.high),
        fmt::format("{:.2f} ({:.2f}-{:.2f})", cell.paper, cell.paper_interval.low, cell.paper_interval.high),
        cell.agrees ? "yes" : "NO");
  }
  text += "\nTable 2b. Seconds a run, one thread each (paper: Apple M4, 8 workers)\n\n";
  text += fmt::format("  {:>5}  {:>7}   {:>8}  {:>8}  {:>8}\n", "omega", "N omega", "ours", "paper", "ratio");
  for (const TimeCell& cell : table.times) {
    text += fmt::format("  {:>5}  {:>7}   {:>8.4f}  {:>8.2f}  {:>8.0f}\n", cell.omega, cell.n_omega, cell.seconds,
                        cell.paper_seconds, cell.paper_seconds / cell.seconds);
  }
  return text;
}

std::string table2_json(const Table2& table, const std::filesystem::path& folder) {
  using Json = nlohmann::ordered_json;
  Json a = Json::array(), b = Json::array();
  Index agreeing = 0;
  for (const RatioCell& cell : table.ratios) {
    agreeing += cell.agrees ? 1 : 0;
    a.push_back({{"omega", cell.omega},
                 {"n_omega", cell.n_omega},
                 {"ratio", cell.ours.ratio},
                 {"low", cell.ours.paper.low},
                 {"high", cell.ours.paper.high},
                 {"bootstrap_low", cell.ours.bootstrap.low},
                 {"bootstrap_high", cell.ours.bootstrap.high},
                 {"paper", cell.paper},
                 {"paper_low", cell.paper_interval.low},
                 {"paper_high", cell.paper_interval.high},
                 {"agrees", cell.agrees}});
  }
  for (const TimeCell& cell : table.times) {
    b.push_back({{"omega", cell.omega},
                 {"n_omega", cell.n_omega},
                 {"seconds", cell.seconds},
                 {"paper_seconds", cell.paper_seconds}});
  }
  const Json result = {
      {"experiment", "table2"}, {"runs", table.runs}, {"steps", table.steps}, {"seconds", table.seconds},
      {"agreeing", agreeing},   {"table2a", a},       {"table2b", b},         {"folder", folder.string()}};
  return result.dump(2);
}

bool write_table2(const Table2& table, const std::filesystem::path& folder, std::string* problem) {
  std::string curves = "omega,n_omega,trajectories,return_mean,standard_error\n";
  std::vector<FigurePanel> panels;
  for (std::size_t i = 0; i < table.times.size(); ++i) {
    const TimeCell& cell = table.times[i];
    const Band& band = table.curves[i];
    for (std::size_t k = 0; k < band.x.size(); ++k) {
      fmt::format_to(std::back_inserter(curves), "{},{},{},{},{}\n", cell.omega, cell.n_omega, band.x[k], band.mean[k],
                     band.standard_error[k]);
    }
    const std::string title = fmt::format("N ω = {}", cell.n_omega);
    auto panel = std::ranges::find(panels, title, &FigurePanel::title);
    if (panel == panels.end()) panel = panels.insert(panels.end(), {.title = title, .series = {}});
    panel->series.push_back({label(cell), band});
  }
  std::string ratios = "omega,n_omega,ratio,low,high,bootstrap_low,bootstrap_high,paper,paper_low,paper_high,agrees\n";
  for (const RatioCell& cell : table.ratios) {
    ratios +=
        fmt::format("{},{},{:.2f},{:.2f},{:.2f},{:.4g},{:.4g},{},{},{},{}\n", cell.omega, cell.n_omega, cell.ours.ratio,
                    cell.ours.paper.low, cell.ours.paper.high, cell.ours.bootstrap.low, cell.ours.bootstrap.high,
                    cell.paper, cell.paper_interval.low, cell.paper_interval.high, cell.agrees);
  }
  std::string times = "omega,n_omega,seconds,paper_seconds\n";
  for (const TimeCell& cell : table.times) {
    times += fmt::format("{},{},{:.6f},{}\n", cell.omega, cell.n_omega, cell.seconds, cell.paper_seconds);
  }
  write_text_file(folder / "curves.csv", curves);
  write_text_file(folder / "table2a.csv", ratios);
  write_text_file(folder / "table2b.csv", times);
  return draw_figure(folder / "figure", panels,
                     {.title = table.title,
                      .x_label = "Collected trajectories",
                      .y_label = "Mean return",
                      .note = fmt::format("mean, 95% Student t band, n = {} runs", table.runs),
                      .y_low = 0.0,
                      .y_high = 210.0},
                     problem);
}

}  // namespace retropg
