#include <algorithm>

#include <fmt/format.h>

#include "commands.hpp"
#include "json_text.hpp"
#include "report/count_text.hpp"
#include "report/plotted_runs.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "say.hpp"

namespace retropg::app {
namespace {

namespace fs = std::filesystem;

/// The words between commas, in any case, each once.
std::vector<std::string> parse_metrics(const std::string& text) {
  std::vector<std::string> words;
  const std::vector<std::string> known = plot_metrics();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const auto metric = std::ranges::find_if(known, [&](const std::string& name) { return same_name(name, word); });
    require(metric != known.end(), "--metric: " + unknown_name_message("metric", word, known));
    if (std::ranges::find(words, *metric) == words.end()) words.push_back(*metric);
    begin = end + 1;
  }
  return words;
}

/// The path of the figure without its ending.
Place stem_of(const PlotArguments& arguments) {
  if (!arguments.out) return arguments.paths.size() == 1 ? Place(arguments.paths[0]) / "plot" : Place("plot");
  fs::path stem = *arguments.out;
  for (const char* ending : {".png", ".svg", ".pdf"}) {
    if (stem.extension() == ending) stem.replace_extension();
  }
  require(stem.has_filename(), "--out " + *arguments.out + ": must end with a name for the figure");
  std::error_code ignored;
  require(stem.parent_path().empty() || fs::is_directory(stem.parent_path(), ignored),
          fmt::format("--out {}: there is no folder {}", *arguments.out, stem.parent_path().string()));
  return stem;
}

/// The axes of a panel that is alone are those of the figure.
FigureOptions options_for(std::vector<FigurePanel>& panels, const std::string& title) {
  FigureOptions options{.title = title, .x_label = "", .y_label = ""};
  if (panels.size() > 1) return options;
  FigurePanel& panel = panels.front();
  std::swap(options.x_label, panel.x_label);
  std::swap(options.y_label, panel.y_label);
  options.lowest = panel.lowest;
  options.highest = panel.highest;
  panel.title.clear();
  return options;
}

}  // namespace

int plot_command(const PlotArguments& arguments) {
  std::vector<std::string> metrics = arguments.metrics ? parse_metrics(*arguments.metrics) : plot_metrics();
  const Place stem = stem_of(arguments);
  const PlotSources sources = read_plot_sources(arguments.paths);
  std::vector<std::string> notes;
  if (sources.left_out > 0)
    notes.push_back(fmt::format("left out {} not done", count_text(sources.left_out, "run") +
                                                            (sources.left_out == 1 ? " that is" : " that are")));
  if (!sources.only_returns.empty()) {
    const std::string reason = sources.only_returns + " was made with --keep curves, which keeps only the return";
    require(!arguments.metrics || metrics == std::vector<std::string>{"return"},
            fmt::format("--metric {}: {}", arguments.metrics.value_or(""), reason));
    if (!arguments.metrics) notes.push_back(reason);
    metrics = {"return"};
  } else if (!arguments.metrics && sources.plotted.size() > kMostSeries) {
    metrics = {"return"};
    notes.push_back(
        fmt::format("more than {} curves: only the return is drawn; --metric asks for others", kMostSeries));
  }
  std::vector<FigurePanel> panels;
  std::vector<std::string> drawn_metrics;
  for (const std::string& metric : metrics) {
    MetricPanels found = metric_panels(sources.plotted, metric);
    require(!found.panels.empty() || !arguments.metrics, "--metric " + found.missing);
    if (!found.missing.empty()) notes.push_back(found.missing);
    if (!found.panels.empty()) drawn_metrics.push_back(metric);
    std::ranges::move(found.panels, std::back_inserter(panels));
  }
  require(!panels.empty(), "there is nothing to draw: a curve needs two iterations");
  for (const std::string& note : notes) say(note);

  const FigureOptions options =
      options_for(panels, sources.plotted.size() > 1 ? sources.title : sources.title + ": " + sources.plotted[0].label);
  std::string problem;
  const bool drawn = draw_figure(stem, panels, options, &problem);
  if (!drawn) say("the figure was not drawn: " + problem);
  const std::string file = stem.string() + (drawn ? ".png" : ".dat");
  if (arguments.json) {
    nlohmann::ordered_json series = nlohmann::ordered_json::array();
    for (const PlottedRuns& one : sources.plotted) {
      series.push_back({{"label", one.label}, {"algorithm", one.algorithm}, {"runs", one.runs.size()}});
    }
    show("{}\n", json_text({{"environment", sources.environment},
                            {"metrics", drawn_metrics},
                            {"series", series},
                            {"notes", notes},
                            {"drawn", drawn},
                            {"file", file}}));
  } else {
    show("{}: {}\n", drawn ? "Figure and data" : "Data", file);
  }
  return drawn ? 0 : 1;
}

}  // namespace retropg::app
