#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/statistics/curve.hpp"
#include "retropg/statistics/statistics.hpp"
#include "retropg/storage/place.hpp"

namespace retropg::app {

/// A panel with more series than this is replaced by small panels.
inline constexpr std::size_t kMostSeries = 8;

struct FigureSeries {
  std::string label;
  std::string method;  // name of the algorithm, which decides color and dash; see method_style
  Band band;
  std::vector<Interval> intervals{};  // one per point, if they are not the Student t intervals of the band
};

struct FigurePanel {
  std::string title;
  std::vector<FigureSeries> series;
  // Of a panel that shows something else than the figure's axes say; it then has a y axis of its own.
  std::string x_label{}, y_label{};
  std::optional<double> lowest{}, highest{};
};

struct FigureOptions {
  std::string title, x_label, y_label;
  std::string note{};                         // a sentence below the figure
  std::string lines{};                        // what lines and bands are, if not means with Student t intervals
  std::optional<double> lowest{}, highest{};  // the smallest and the largest possible value: bands stay inside
};

/// Draws lines with bands, by default means with pointwise 95 % Student t intervals, and says below what they are.
/// Writes STEM.dat (data), STEM.gp (gnuplot script), STEM.png, STEM.svg and STEM.pdf; `gnuplot STEM.gp` in that folder
/// draws the figure again. Panels form a grid with one legend. If a panel has more than eight series, every series gets
/// a small panel, with the lines of the others in gray. If a file cannot be written, or gnuplot is missing or fails,
/// returns false and sets `problem` (may be null) to one line.
bool draw_figure(const Place& stem, const std::vector<FigurePanel>& panels, const FigureOptions& options,
                 std::string* problem);

}  // namespace retropg::app
