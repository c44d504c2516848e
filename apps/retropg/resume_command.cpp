#include <fmt/format.h>

#include "commands.hpp"
#include "interrupt.hpp"
#include "retropg/core/error.hpp"
#include "say.hpp"
#include "shell.hpp"
#include "training.hpp"

namespace retropg::app {
namespace {

ResumedRun resumed_run(const ResumeArguments& arguments) {
  try {
    return resume_run(arguments.path, arguments.changes, say);
  } catch (const NoCheckpoint& error) {
    const std::string file = (std::filesystem::path(arguments.path) / "config.toml").string();
    throw Error(fmt::format("{}; `retropg train --config {}` repeats the run from its beginning", error.what(),
                            shell_word(file)));
  }
}

}  // namespace

int resume_command(const ResumeArguments& arguments) {
  watch_for_signals();
  const ResumedRun resumed = resumed_run(arguments);
  if (resumed.run->trainer().finished()) {
    say(fmt::format("{}: the run is complete after iteration {}; to make it longer, raise {}", arguments.path,
                    resumed.iteration, resumed.ended_by));
  } else {
    say(fmt::format("{}: going on after iteration {}", arguments.path, resumed.iteration));
  }
  return train_in(*resumed.run, *resumed.folder, arguments.json);
}

}  // namespace retropg::app
