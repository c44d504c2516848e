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
  double x_max = 0.0;  // 0: the end of the longest series
};

struct FigureOptions {
  std::string title, x_label, y_label;
  std::string note;                  // title of every legend: "mean, 95% Student t band, n = 10 runs"
  double y_low = 0.0, y_high = 0.0;  // equal: chosen from the data
};

/// Draws learning curves with pointwise 95 % Student t bands, up to three panels per row. Writes STEM.dat (data),
/// STEM.gp (gnuplot script), STEM.png and STEM.svg; `gnuplot STEM.gp` in that folder draws the figure again. The legend
/// is in the bottom right corner, below the panels if a curve passes there, or beside a single panel with more than
/// seven series. When the colors run out, series differ by dashes. If a file cannot be written, or gnuplot is missing
/// or fails, returns false and sets `problem` (may be null) to one line.
bool draw_figure(const std::filesystem::path& stem, std::span<const FigurePanel> panels, const FigureOptions& options,
                 std::string* problem);

}  // namespace retropg::app
