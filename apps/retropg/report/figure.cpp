#include "report/figure.hpp"

#include <string_view>

#include "report/figure_data.hpp"
#include "report/figure_script.hpp"
#include "report/gnuplot.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

namespace fs = std::filesystem;

/// Replaces the time at which a PDF was drawn: the same data make the same bytes.
void forget_time(const fs::path& pdf) {
  std::string text = read_file(pdf);
  constexpr std::string_view before = "/CreationDate (D:", time = "20000101000000";
  const std::size_t at = text.find(before);
  if (at == std::string::npos || at + before.size() + time.size() > text.size()) return;
  text.replace(at + before.size(), time.size(), time);
  write_file(pdf, text);
}

/// Writes the files and runs gnuplot. Returns an error message, or an empty string on success.
std::string draw(const fs::path& stem, const std::vector<FigurePanel>& panels, const FigureOptions& options) {
  if (panels.empty()) return "a figure needs at least one panel";
  for (const FigurePanel& panel : panels) {
    if (panel.series.empty()) return "panel '" + panel.title + "' has no series";
    for (const FigureSeries& series : panel.series) {
      if (series.band.x.empty()) return "series '" + series.label + "' of panel '" + panel.title + "' has no points";
    }
  }
  const std::string name = stem.filename().string();
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  try {
    write_file(folder / (name + ".dat"), figure_data(panels, options));
    write_file(folder / (name + ".gp"), figure_script(name, panels, options));
    std::string problem = run_gnuplot(folder, name);
    if (problem.empty()) forget_time(folder / (name + ".pdf"));
    return problem;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

bool draw_figure(const fs::path& stem, const std::vector<FigurePanel>& panels, const FigureOptions& options,
                 std::string* problem) {
  const std::string found = draw(stem, panels, options);
  if (problem != nullptr) *problem = found;
  return found.empty();
}

}  // namespace retropg::app
