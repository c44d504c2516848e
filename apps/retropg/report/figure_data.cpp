#include "report/figure_data.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "report/count_text.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kPoints = 250, kSmallPoints = 101;  // about as many as the pixels of a panel can show

/// The interval at point k, inside the bounds of the panel, or of the figure if the panel has its axes.
Interval band_at(const FigurePanel& panel, const FigureSeries& series, std::size_t k, const FigureOptions& options) {
  if (!series.intervals.empty()) return series.intervals[k];
  const Band& band = series.band;
  const double t = band.runs < 2 ? 0.0 : student_t_quantile(0.975, static_cast<double>(band.runs - 1));
  Interval interval{band.mean[k] - t * band.standard_error[k], band.mean[k] + t * band.standard_error[k]};
  const auto lowest = has_own_axes(panel) ? panel.lowest : options.lowest;
  const auto highest = has_own_axes(panel) ? panel.highest : options.highest;
  if (lowest) interval.low = std::min(band.mean[k], std::max(interval.low, *lowest));
  if (highest) interval.high = std::max(band.mean[k], std::min(interval.high, *highest));
  return interval;
}

/// The smallest range of all finite values.
struct Hull {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

constexpr std::size_t kMostWideBands = 4;  // can be told apart where they overlap
constexpr double kWide = 0.25;             // of the range of the means

/// Whether a band, four standard errors, is wide on average.
bool has_wide_bands(const FigurePanel& panel) {
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0.0;
  std::size_t count = 0;
  for (const FigureSeries& series : panel.series) {
    for (const double mean : series.band.mean) {
      low = std::min(low, mean);
      high = std::max(high, mean);
    }
    for (const double error : series.band.standard_error) sum += 4.0 * error;
    count += series.band.standard_error.size();
  }
  return count > 0 && sum / static_cast<double>(count) > kWide * (high - low);
}

}  // namespace

bool has_own_axes(const FigurePanel& panel) {
  return !panel.y_label.empty();
}

bool needs_small_panels(const std::vector<FigurePanel>& panels) {
  return std::ranges::any_of(panels, [](const FigurePanel& panel) {
    return panel.series.size() > kMostSeries || (panel.series.size() > kMostWideBands && has_wide_bands(panel));
  });
}

std::size_t point_count(const Band& band, bool small) {
  return std::min(band.x.size(), small ? kSmallPoints : kPoints);
}

std::string figure_data(const std::vector<FigurePanel>& panels, const FigureOptions& options) {
  std::string text = "# x, line, low and high end of the band\n";
  const auto out = std::back_inserter(text);
  const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "NaN"; };
  for (const FigurePanel& panel : panels) {
    for (const FigureSeries& series : panel.series) {
      const Band& band = series.band;
      const std::size_t points = point_count(band, needs_small_panels(panels)), last = band.x.size() - 1;
      std::string heading = fmt::format("{} | {} | {}", panel.title, series.label, count_text(band.runs, "run"));
      std::ranges::replace(heading, '\n', ' ');
      fmt::format_to(out, "# {}\n", heading);
      for (std::size_t i = 0; i < points; ++i) {
        const std::size_t k = points < 2 ? last : i * last / (points - 1);  // evenly spaced, including first and last
        const Interval interval = band_at(panel, series, k, options);
        fmt::format_to(out, "{:.10g} {} {} {}\n", band.x[k], number(band.mean[k]), number(interval.low),
                       number(interval.high));
      }
      text += "\n\n";
    }
  }
  return text;
}

AxisRange y_range(const std::vector<const FigurePanel*>& panels, const FigureOptions& options) {
  Hull means, bands;
  for (const FigurePanel* panel : panels) {
    for (const FigureSeries& series : panel->series) {
      for (std::size_t k = 0; k < series.band.x.size(); ++k) {
        const Interval interval = band_at(*panel, series, k, options);
        means.include(series.band.mean[k]);
        bands.include(interval.low);
        bands.include(interval.high);
      }
    }
  }
  AxisRange range{bands.low, bands.high};
  if (means.low < means.high) {
    const double room = 0.5 * (means.high - means.low);
    range = {std::max(bands.low, means.low - room), std::min(bands.high, means.high + room)};
  }
  if (!std::isfinite(range.low)) return {0.0, 1.0};
  if (range.low >= range.high) return {range.low - 1.0, range.low + 1.0};
  const double margin = 0.03 * (range.high - range.low);
  return {range.low - margin, range.high + margin};
}

AxisRange x_range(const FigurePanel& panel) {
  AxisRange range{0.0, 0.0};
  for (const FigureSeries& series : panel.series) {
    range = {std::min(range.low, series.band.x.front()), std::max(range.high, series.band.x.back())};
  }
  return range.low < range.high ? range : AxisRange{0.0, 1.0};
}

}  // namespace retropg::app
