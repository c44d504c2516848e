#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"
#include "retropg/storage/run_history.hpp"

namespace retropg::app {

/// Run folders that are drawn as one curve: a single run, or the runs of an arm.
struct PlottedRuns {
  std::string label, algorithm;
  std::vector<Place> runs;
  std::vector<RunHistory> histories{};  // one per run
};

/// The names of what can be drawn.
std::vector<std::string> plot_metrics();

/// What there is to draw of a metric.
struct MetricPanels {
  std::vector<FigurePanel> panels{};  // with axes of their own
  std::string missing{};              // one line: what some or all runs lack, and how to get it; else empty
};

MetricPanels metric_panels(const std::vector<PlottedRuns>& plotted, const std::string& metric);

}  // namespace retropg::app
