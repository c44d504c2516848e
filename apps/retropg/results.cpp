#include "results.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "interrupt.hpp"
#include "progress.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/provenance.hpp"
#include "say.hpp"
#include "shell.hpp"

namespace retropg::app {
namespace {

constexpr const char* kPlan = "plan.toml";
constexpr std::size_t kLongestCommand = 400;  // of a message

/// Whether the program may have been killed right after it made the folder.
bool is_untouched(const Place& folder, const std::string& marker) {
  std::error_code error;
  const std::vector<std::string> names = names_in(folder, error);
  const bool only_begun = std::ranges::all_of(names, [&](const std::string& name) { return name == marker + ".tmp"; });
  return !error && is_folder(folder) && only_begun;
}

/// Whether the folder is not one of ours, so that it has to be made.
bool is_new(const Place& folder, const std::string& marker) {
  return folder.string().empty() || (!is_there(folder / marker) && !is_untouched(folder, marker));
}

/// The plan with what the folder adds to it.
ResultsPlan complete(ResultsPlan plan, const std::string& experiment, const ResultsOptions& options) {
  plan.items.insert(plan.items.begin(), {{"experiment", experiment}, {"keep", to_text(parse_keep(options.keep))}});
  return plan;
}

/// Compares the plan with the folder's; returns a warning, or an empty string.
std::string require_same_results(const ResultsPlan& plan, const Place& folder, const ResultsOptions& options) {
  PlanFlags flags = options.flags;
  flags.insert({{"experiment", "the experiment"}, {"keep", "--keep"}});
  try {
    return require_same_plan(plan, read_file(folder / kPlan), flags);
  } catch (const Error& error) {
    throw Error(fmt::format("--out {}: {}", folder.string(), error.what()));
  }
}

}  // namespace

ResultsFolder::ResultsFolder(ResultsPlan plan, const std::string& experiment, const ResultsOptions& options)
    : command_(options.command), keep_(parse_keep(options.keep)) {
  plan = complete(std::move(plan), experiment, options);
  place_ = find_or_make_folder(options.out, options.name, kPlan).opened();
  if (!options.out) command_ += " --out " + shell_word(place_.string());
  lock_.emplace(place_);
  if (is_there(place_ / kPlan)) {
    const std::string warning = require_same_results(plan, place_, options);
    if (!warning.empty()) {
      say(fmt::format("{}: {}", place_.string(), warning));
    } else if (const std::string text = to_toml(plan); text != read_file(place_ / kPlan)) {
      write_file(place_ / kPlan, text);  // the number of runs has changed
    }
    write_file(place_ / "provenance.json", resumed_provenance_json(place_ / "provenance.json"));
  } else {
    write_file(place_ / kPlan, to_toml(plan));
    write_file(place_ / "provenance.json", provenance_json());
  }
  if (!is_there(place_ / "command.txt")) write_file(place_ / "command.txt", options.command + "\n");
  need_folder(place_ / "arms");
  const std::vector<std::string> names = file_names(plan.arms);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Place file = place_ / "arms" / (names[i] + ".toml");
    if (!is_there(file)) write_file(file, to_toml(plan.arms[i].configuration));
  }
  runs_.emplace(place_ / "runs", plan.arms,
                RunStoreOptions{.keep = keep_, .warn = say, .stopped_by = [] { return interrupt_name(); }});
}

void check_results_folder(ResultsPlan plan, const std::string& experiment, const ResultsOptions& options) {
  plan = complete(std::move(plan), experiment, options);
  if (!options.out) return;
  const Place folder = *options.out;
  if (is_there(folder / kPlan)) {
    require_same_results(plan, folder, options);
  } else if (is_new(folder, kPlan)) {
    check_output_folder(folder.path());
  }
}

Place find_or_make_folder(const std::optional<Place>& out, const std::string& name, const std::string& marker) {
  if (!out) return make_dated_folder("results", name);
  if (is_new(*out, marker)) make_output_folder(out->path());
  return *out;
}

int run_watched(ResultsFolder& folder, const std::function<void(const RunProgress&)>& work) {
  watch_for_signals();
  Progress progress;
  std::optional<Index> found;  // before the first run
  try {
    work([&](const RunsDone& runs) {
      const auto [done, total, under_way] = runs;
      if (!found) {
        found = done;
        if (done > 0) say(fmt::format("{}: has {} of {} runs", folder.path().string(), done, total));
      }
      if (progress.due()) {
        const double share =
            (static_cast<double>(done - *found) + under_way) / static_cast<double>(std::max<Index>(total - *found, 1));
        progress.show(std::min(share, 1.0), fmt::format("{} of {} runs", done, total));
      }
      if (save_requested()) folder.runs().save_checkpoints();
      return interrupt_status() == 0;
    });
  } catch (const ExperimentStopped& stopped) {
    progress.finish();
    const std::string& command = folder.command();
    say(fmt::format("stopped by {} after {} of {} runs; go on with: {}", interrupt_name(), stopped.done, stopped.total,
                    command.size() <= kLongestCommand
                        ? command
                        : fmt::format("the same command, with --out {}", shell_word(folder.path().string()))));
    return interrupt_status();
  }
  progress.finish();
  return 0;
}

}  // namespace retropg::app
