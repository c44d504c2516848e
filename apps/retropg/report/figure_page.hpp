#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/figure.hpp"

namespace retropg::app {

/// The style of a series and its entry in the legend.
struct FigureLook {
  std::string label, color, dash;
  int mark = 0;  // a point type of gnuplot; 0: none
};

/// One plot of the grid: a panel, or one series of it before the means of the others.
struct FigureCell {
  const FigurePanel* panel = nullptr;
  std::size_t first_block = 0;  // of the panel's data
  std::optional<std::size_t> series{};
};

/// What is where in a figure. Sizes are those of gnuplot: pixels, and characters of 12 points for all margins.
struct FigurePage {
  std::vector<FigureCell> cells;
  std::vector<FigureLook> looks;  // one per label
  std::string title{}, note{};
  bool small = false;                           // one series per cell
  bool own_x_axes = false, own_y_axes = false;  // otherwise tick labels at the edges of the grid are enough
  std::size_t rows = 1, columns = 1;
  double width = 0.0, height = 0.0;                          // pixels
  double left = 10.0, right = 3.5, top = 0.0, bottom = 0.0;  // characters
  double gap_between_columns = 4.0, gap_between_rows = 3.5;  // characters
  int legend_lines = 0;                                      // 0: no legend
  double legend_room = 0.0;  // characters that an entry needs besides those that gnuplot counts

  const FigureLook& look(const FigureSeries& series) const;
  /// Where the middle of the grid is between the lower edge of the page, 0, and the upper one, 1.
  double middle() const;
};

/// The page refers to the panels.
FigurePage figure_page(const std::vector<FigurePanel>& panels, const FigureOptions& options);

/// Number of characters in UTF-8 text.
double letter_count(const std::string& text);

}  // namespace retropg::app
