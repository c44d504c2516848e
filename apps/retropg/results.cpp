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

namespace fs = std::filesystem;

constexpr const char* kPlan = "plan.toml";
constexpr std::size_t kLongestCommand = 400;  // of a message

/// Whether the program may have been killed right after it made the folder.
bool is_untouched(const fs::path& folder, const std::string& marker) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename() != marker + ".tmp") return false;
  }
  return !error;
}

/// Whether the folder is not one of ours, so that it has to be made.
bool is_new(const fs::path& folder, const std::string& marker) {
  return folder.empty() || (!is_there(folder / marker) && !is_untouched(folder, marker));
}

/// The plan with what the folder adds to it.
ResultsPlan complete(ResultsPlan plan, const std::string& experiment, const ResultsOptions& options) {
  plan.items.insert(plan.items.begin(), {{"experiment", experiment}, {"keep", to_text(parse_keep(options.keep))}});
  return plan;
}

/// Compares the plan with the folder's; returns a warning, or an empty string.
std::string require_same_results(const ResultsPlan& plan, const fs::path& folder, const ResultsOptions& options) {
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
  path_ = find_or_make_folder(options.out, options.name, kPlan);
  if (!options.out) command_ += " --out " + shell_word(path_.string());
  lock_.emplace(path_);
  if (is_there(path_ / kPlan)) {
    const std::string warning = require_same_results(plan, path_, options);
    if (!warning.empty()) {
      say(fmt::format("{}: {}", path_.string(), warning));
    } else if (const std::string text = to_toml(plan); text != read_file(path_ / kPlan)) {
      write_file(path_ / kPlan, text);  // the number of runs has changed
    }
    write_file(path_ / "provenance.json", resumed_provenance_json(path_ / "provenance.json"));
  } else {
    write_file(path_ / kPlan, to_toml(plan));
    write_file(path_ / "provenance.json", provenance_json());
  }
  if (!is_there(path_ / "command.txt")) write_file(path_ / "command.txt", options.command + "\n");
  make_folder(path_ / "arms");
  const std::vector<std::string> names = file_names(plan.arms);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const fs::path file = path_ / "arms" / (names[i] + ".toml");
    if (!is_there(file)) write_file(file, to_toml(plan.arms[i].configuration));
  }
  runs_.emplace(path_ / "runs", plan.arms,
                RunStoreOptions{.keep = keep_, .warn = say, .stopped_by = [] { return interrupt_name(); }});
}

void check_results_folder(ResultsPlan plan, const std::string& experiment, const ResultsOptions& options) {
  plan = complete(std::move(plan), experiment, options);
  if (!options.out) return;
  const fs::path folder = *options.out;
  if (is_there(folder / kPlan)) {
    require_same_results(plan, folder, options);
  } else if (is_new(folder, kPlan)) {
    check_output_folder(folder);
  }
}

fs::path find_or_make_folder(const std::optional<std::string>& out, const std::string& name,
                             const std::string& marker) {
  if (!out) return make_dated_folder("results", name);
  if (is_new(*out, marker)) make_output_folder(*out);
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
