#include <fmt/format.h>

#include "commands.hpp"
#include "interrupt.hpp"
#include "retropg/core/error.hpp"
#include "say.hpp"
#include "training.hpp"

namespace retropg::app {

int resume_command(const ResumeArguments& arguments) {
  watch_for_signals();
  const ResumedRun resumed = resume_run(arguments.path, arguments.changes, say);
  if (resumed.run->trainer().finished()) {
    say(fmt::format("{}: the run is complete after iteration {}; --iterations, --budget or --steps makes it longer",
                    arguments.path, resumed.iteration));
  } else {
    say(fmt::format("{}: going on after iteration {}", arguments.path, resumed.iteration));
  }
  return train_in(*resumed.run, *resumed.folder, arguments.json);
}

}  // namespace retropg::app
