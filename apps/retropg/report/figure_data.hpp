#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace retropg::app {

/// Points of a series in the file: no more than would show, in a panel or in one of many small ones.
std::size_t point_count(const Band& band, bool small);

/// The file NAME.dat: x, line, low and high end of the band; one block per series, in the order of the panels.
std::string figure_data(const std::vector<FigurePanel>& panels, const FigureOptions& options);

/// Whether the panel shows something else than the figure's axes.
bool has_own_axes(const FigurePanel& panel);

/// Whether a panel has so many series that each needs a panel of its own.
bool needs_small_panels(const std::vector<FigurePanel>& panels);

struct AxisRange {
  double low, high;

  bool operator==(const AxisRange&) const = default;
};

/// All means, and the bands as far as they do not take more than half as much room again on either side.
AxisRange y_range(const std::vector<const FigurePanel*>& panels, const FigureOptions& options);

/// From 0, or where the first series begins if that is below, to where the longest one ends.
AxisRange x_range(const FigurePanel& panel);

}  // namespace retropg::app
