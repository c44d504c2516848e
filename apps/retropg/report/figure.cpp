#include "report/figure.hpp"

#include "report/figure_data.hpp"
#include "report/figure_script.hpp"
#include "report/gnuplot.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

/// Writes the files and runs gnuplot. Returns an error message, or an empty string on success.
std::string draw(const Place& stem, const std::vector<FigurePanel>& panels, const FigureOptions& options) {
  if (panels.empty()) return "a figure needs at least one panel";
  for (const FigurePanel& panel : panels) {
    if (panel.series.empty()) return "panel '" + panel.title + "' has no series";
    for (const FigureSeries& series : panel.series) {
      if (series.band.x.empty()) return "series '" + series.label + "' of panel '" + panel.title + "' has no points";
    }
  }
  const std::string data = figure_data(panels, options), script = figure_script(stem.filename(), panels, options);
  try {
    write_file(stem.with(".dat"), data);
    write_file(stem.with(".gp"), script);
    return run_gnuplot(stem, {.data = data, .script = script});
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

bool draw_figure(const Place& stem, const std::vector<FigurePanel>& panels, const FigureOptions& options,
                 std::string* problem) {
  const std::string found = draw(stem, panels, options);
  if (problem != nullptr) *problem = found;
  return found.empty();
}

}  // namespace retropg::app
