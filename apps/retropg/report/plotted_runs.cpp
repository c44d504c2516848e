#include "report/plotted_runs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/experiment/stored_experiment.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/curve_file.hpp"
#include "retropg/storage/results_examination.hpp"

namespace retropg::app {
namespace {

/// One curve and the path on the command line that it came from.
struct Found {
  PlottedRuns plotted;
  std::string path;
};

std::string environment_of(const Configuration& configuration) {
  return canonical(configuration).env.id;
}

void require_same_environment(PlotSources& sources, const Configuration& configuration, const std::string& path) {
  const std::string environment = environment_of(configuration);
  if (sources.environment.empty()) sources.environment = environment;
  require(environment == sources.environment,
          fmt::format("{}: is a run on {}, the others are on {}; draw them in figures of their own", path, environment,
                      sources.environment));
}

void add_run(const std::string& path, PlotSources& sources, std::vector<Found>& found) {
  const Configuration configuration = load_run_configuration(Place(path) / "config.toml");
  require_same_environment(sources, configuration, path);
  const std::string algorithm = algorithm_of(configuration).name;
  found.push_back({.plotted = {.label = fmt::format("{}, seed {}", algorithm, configuration.train.seed),
                               .algorithm = algorithm,
                               .runs = {path}},
                   .path = path});
}

/// Says how to draw a results folder of several environments.
void require_one_environment(const StoredExperiment& experiment, const std::string& path) {
  const std::string first = environment_of(experiment.arms.front().arm.configuration);
  for (const StoredArm& stored : experiment.arms) {
    const std::string environment = environment_of(stored.arm.configuration);
    if (environment == first) continue;
    const bool has_folders = !stored.done.empty() && !is_curve_file(stored.done.front());
    throw Error(fmt::format(
        "{}: has runs on {} and {}; {}", path, first, environment,
        has_folders ? fmt::format("draw run folders of one of them, such as {}", stored.done.front().string())
                    : "each has a figure in its own folder there"));
  }
}

RunHistory history_of(const Place& run) {
  if (!is_curve_file(run)) return read_history(run);
  StoredCurve curve = read_curve_file(run);
  RunHistory history;
  history.trajectories = std::move(curve.trajectories);
  history.return_mean = std::move(curve.return_mean);
  return history;
}

void add_results(const std::string& path, PlotSources& sources, std::vector<Found>& found) {
  const StoredExperiment experiment = read_experiment(path);
  require_one_environment(experiment, path);
  sources.title = experiment.title;
  const std::size_t before = found.size();
  for (const StoredArm& stored : experiment.arms) {
    require_same_environment(sources, stored.arm.configuration, path);
    sources.left_out += stored.not_done;
    if (stored.done.empty()) continue;
    if (is_curve_file(stored.done.front())) sources.only_returns = path;
    found.push_back({.plotted = {.label = stored.arm.label,
                                 .algorithm = algorithm_of(stored.arm.configuration).name,
                                 .runs = stored.done},
                     .path = path});
  }
  require(found.size() > before, path + ": has no run that is done");
}

/// Labels that several curves have get the path they came from.
void make_labels_differ(std::vector<Found>& found) {
  std::vector<std::string> labels;
  for (const Found& one : found) labels.push_back(one.plotted.label);
  for (Found& one : found) {
    if (std::ranges::count(labels, one.plotted.label) > 1) one.plotted.label += " (" + one.path + ")";
  }
}

}  // namespace

PlotSources read_plot_sources(const std::vector<std::string>& paths) {
  PlotSources sources;
  std::vector<Found> found;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    require(std::ranges::count(paths, paths[i]) == 1, paths[i] + ": is given twice");
    if (is_run_folder(paths[i])) {
      add_run(paths[i], sources, found);
    } else {
      require(is_results_folder(paths[i]),
              paths[i] + ": is neither a run folder (config.toml) nor a results folder (plan.toml)");
      add_results(paths[i], sources, found);
    }
  }
  if (paths.size() > 1 || sources.title.empty()) sources.title = sources.environment;
  make_labels_differ(found);
  for (Found& one : found) {
    for (const Place& run : one.plotted.runs) {
      one.plotted.histories.push_back(history_of(run));
      require(!one.plotted.histories.back().trajectories.empty(), run.string() + ": has no iterations yet");
    }
    sources.plotted.push_back(std::move(one.plotted));
  }
  return sources;
}

}  // namespace retropg::app
