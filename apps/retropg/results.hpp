#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "retropg/experiment/keep.hpp"
#include "retropg/experiment/results_plan.hpp"
#include "retropg/experiment/run_batch.hpp"

namespace retropg::app {

/// What the user said about the folder of an experiment.
struct ResultsOptions {
  std::optional<Place> out;
  std::string name;  // of the folder results/NAME__UTC if there is no `out`
  std::string keep;  // see parse_keep
  PlanFlags flags;   // of the command
  std::string command;
};

/// The folder of an experiment. It keeps every run as soon as it is done; started again, the experiment runs only what
/// is missing. Nothing in it is ever removed but what an unfinished run left.
class ResultsFolder {
 public:
  /// Makes the folder, or takes one that was made with the same plan. Throws Error, with nothing changed, if it exists
  /// and is not such a folder, or if another process works in it.
  ResultsFolder(ResultsPlan plan, const std::string& experiment, const ResultsOptions& options);

  const Place& place() const { return place_; }
  std::filesystem::path path() const { return place_.path(); }
  /// What stays of a run that is done.
  const Keep& keep() const { return keep_; }
  RunStore& runs() { return *runs_; }
  /// A command line that goes on with this experiment.
  const std::string& command() const { return command_; }

 private:
  Place place_;
  std::string command_;
  Keep keep_;
  std::optional<FolderLock> lock_;
  std::optional<RunStore> runs_;
};

/// Throws Error if a ResultsFolder could not be made of the folder `options.out`; changes nothing.
void check_results_folder(ResultsPlan plan, const std::string& experiment, const ResultsOptions& options);

/// Makes the folder `out`, or takes one that is empty or has the file `marker`, which then tells that it is ours.
/// Without `out`, makes results/NAME__UTC. Throws Error if the folder is another one.
Place find_or_make_folder(const std::optional<Place>& out, const std::string& name, const std::string& marker);

/// Calls work(progress) with a progress line on stderr, and stops it on SIGINT or SIGTERM, with a line that says how to
/// go on. Returns 0 if all runs finished, otherwise the exit status of the signal.
int run_watched(ResultsFolder& folder, const std::function<void(const RunProgress&)>& work);

}  // namespace retropg::app
