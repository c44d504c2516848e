#include "report/run_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace retropg::app {
namespace {

constexpr const char* kCoefficients = "coefficients";

/// A metric that is a column of progress.csv.
struct ColumnMetric {
  const char *name, *title, *y_label;
  std::vector<double> RunHistory::*column;
  std::optional<double> lowest;
  bool zero_is_none;    // a run where it is always 0 does not have it
  const char* missing;  // if no run has it
};

constexpr std::array kColumnMetrics = {
    ColumnMetric{
        "return", "Return", "Mean return", &RunHistory::return_mean, {}, false, "return: a curve needs two iterations"},
    ColumnMetric{"ess", "Effective sample size", "Effective sample size", &RunHistory::effective_sample_size, 0.0,
                 false, "ess: a curve needs two iterations"},
    ColumnMetric{"divergence", "Largest divergence in the window", "Largest log d2", &RunHistory::log_divergence_max,
                 0.0, true, "divergence: these algorithms do not compute it"},
};

/// Without what is not a finite number: the return of an iteration that drew nothing from its policy, an infinite
/// divergence.
Curve curve_of(const std::vector<double>& x, const std::vector<double>& y) {
  Curve curve;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(y[k])) continue;
    curve.x.push_back(x[k]);
    curve.y.push_back(y[k]);
  }
  return curve;
}

Curve curve_of(const std::map<Index, double>& by_age) {
  Curve curve;
  for (const auto& [age, value] : by_age) {
    curve.x.push_back(static_cast<double>(age));
    curve.y.push_back(value);
  }
  return curve;
}

/// Adds a series unless there are no curves, or one of them is a point. It ends where the first of its runs ends.
void add_series(FigurePanel& panel, const PlottedRuns& runs, std::vector<Curve> curves) {
  if (curves.empty() || std::ranges::any_of(curves, [](const Curve& curve) { return curve.x.size() < 2; })) return;
  const auto first = std::ranges::min_element(curves, {}, [](const Curve& curve) { return curve.x.back(); });
  std::iter_swap(curves.begin(), first);
  panel.series.push_back({.label = runs.label, .method = runs.algorithm, .band = band(curves)});
}

MetricPanels panels_of(const std::vector<PlottedRuns>& plotted, const ColumnMetric& metric) {
  FigurePanel panel{.title = metric.title,
                    .series = {},
                    .x_label = "Collected trajectories",
                    .y_label = metric.y_label,
                    .lowest = metric.lowest};
  for (const PlottedRuns& runs : plotted) {
    std::vector<Curve> curves;
    for (const RunHistory& history : runs.histories) {
      const std::vector<double>& column = history.*metric.column;
      const bool none = metric.zero_is_none && std::ranges::all_of(column, [](double value) { return value == 0.0; });
      if (!none) curves.push_back(curve_of(history.trajectories, column));
    }
    add_series(panel, runs, std::move(curves));
  }
  if (panel.series.empty()) return {.panels = {}, .missing = metric.missing};
  return {.panels = {std::move(panel)}};
}

MetricPanels coefficient_panels(const std::vector<PlottedRuns>& plotted) {
  const std::string age = "Age of the batch in iterations";
  FigurePanel alpha{
      .title = "Share of a batch", .series = {}, .x_label = age, .y_label = "alpha", .lowest = 0.0, .highest = 1.0};
  FigurePanel lambda{.title = "Correction of its weights",
                     .series = {},
                     .x_label = age,
                     .y_label = "lambda",
                     .lowest = 0.0,
                     .highest = 1.0};
  Index without = 0, all = 0;
  for (const PlottedRuns& runs : plotted) {
    std::vector<Curve> alphas, lambdas;
    for (std::size_t i = 0; i < runs.runs.size(); ++i) {
      ++all;
      if (!has_metrics(runs.runs[i])) ++without;
      const CoefficientsByAge found = read_coefficients(runs.runs[i], std::ssize(runs.histories[i].trajectories));
      alphas.push_back(curve_of(found.alpha));
      lambdas.push_back(curve_of(found.lambda));
    }
    add_series(alpha, runs, std::move(alphas));
    add_series(lambda, runs, std::move(lambdas));
  }
  MetricPanels result;
  for (FigurePanel* panel : {&alpha, &lambda}) {
    if (!panel->series.empty()) result.panels.push_back(std::move(*panel));
  }
  if (without > 0) {
    result.missing = fmt::format(
        "coefficients: {} of {} runs have no metrics.jsonl; compare --keep metrics keeps it, and train writes it with "
        "log.metrics above 0",
        without, all);
  } else if (result.panels.empty()) {
    result.missing = "coefficients: these algorithms have none for past batches";
  }
  return result;
}

}  // namespace

std::vector<std::string> plot_metrics() {
  std::vector<std::string> names;
  for (const ColumnMetric& metric : kColumnMetrics) names.emplace_back(metric.name);
  names.emplace_back(kCoefficients);
  return names;
}

MetricPanels metric_panels(const std::vector<PlottedRuns>& plotted, const std::string& metric) {
  if (metric == kCoefficients) return coefficient_panels(plotted);
  return panels_of(plotted, *std::ranges::find(kColumnMetrics, metric, &ColumnMetric::name));
}

}  // namespace retropg::app
