#include "report/table2_output.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "json_text.hpp"
#include "report/figure.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {

std::string format_table2(const Table2& table) {
  std::string text = fmt::format(
      "{}\n\nTable 2a. How many times as many trajectories GPOMDP needs ({} runs; intervals by the paper's method and\n"
      "by bootstrap over runs)\n\n",
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
  text += "\nTable 2b. Seconds per run on one thread (paper: Apple M4, 8 workers)\n\n";
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
  return json_text(result);
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
    panel->series.push_back({.label = cell.omega == 1 ? "GPOMDP" : fmt::format("RPG, window ω = {}", cell.omega),
                             .method = cell.omega == 1 ? "gpomdp" : "rpg",
                             .band = band});
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
  write_file(folder / "curves.csv", curves);
  write_file(folder / "table2a.csv", ratios);
  write_file(folder / "table2b.csv", times);
  return draw_figure(folder / "figure", panels,
                     {.title = table.title,
                      .x_label = "Collected trajectories",
                      .y_label = "Mean return",
                      .lowest = 0.0,
                      .highest = 200.0},
                     problem);
}

}  // namespace retropg::app
