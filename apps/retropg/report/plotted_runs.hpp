#pragma once

#include <string>
#include <vector>

#include "report/run_plot.hpp"

namespace retropg::app {

/// What the folders on the command line hold.
struct PlotSources {
  std::string title, environment;
  std::vector<PlottedRuns> plotted{};  // with different labels
  Index left_out = 0;                  // number of runs of results folders that are not done
  std::string only_returns{};          // a path whose runs keep nothing but their curves; empty: there is none
};

/// Reads run folders, each one curve, and results folders, one curve per arm over its finished runs. Throws Error if a
/// path is neither, if the environments differ, or if a log is damaged or empty.
PlotSources read_plot_sources(const std::vector<std::string>& paths);

}  // namespace retropg::app
