#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "retropg/statistics/curve.hpp"

namespace retropg::app {

struct FigureSeries {
  std::string label;
  Band band;
};

struct FigurePanel {
  std::string title;
  std::vector<FigureSeries> series;
  double x_max = 0.0;  // 0: as far as the series go
};

struct FigureOptions {
  std::string title, x_label, y_label;
  std::string note;                  // heads every legend: "mean, 95% Student t band, n = 10 runs"
  double y_low = 0.0, y_high = 0.0;  // equal: chosen from the data
};

/// Learning curves with a pointwise 95 % Student t band, up to three panels side by side and more in rows below, drawn
/// by the program gnuplot: STEM.dat (what is drawn), STEM.gp (how), STEM.png and STEM.svg. `gnuplot STEM.gp` in that
/// folder draws it again. The legend stands in the bottom right corner, or below the panels if a curve passes there, or
/// beside a single panel with more than seven series; when colors are used up, dashes tell series apart.
/// False, and one line in `problem` unless that is null, if a file cannot be written or gnuplot is missing or fails.
bool draw_figure(const std::filesystem::path& stem, std::span<const FigurePanel> panels, const FigureOptions& options,
                 std::string* problem);

}  // namespace retropg::app
