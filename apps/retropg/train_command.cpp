#include "commands.hpp"
#include "interrupt.hpp"
#include "retropg/experiment/preset_line.hpp"
#include "retropg/storage/output_folder.hpp"
#include "say.hpp"
#include "training.hpp"

namespace retropg::app {

int train_command(const TrainArguments& arguments) {
  const Given settings = given(arguments.flags);
  TrainingRun run(resolve(settings));  // throws on invalid settings before anything is created
  require_effect(given_settings(settings), run.configuration());
  watch_for_signals();
  std::filesystem::path path;
  if (arguments.out) {
    path = *arguments.out;
    make_output_folder(path);
  } else {
    path = make_dated_folder("runs", run_name(run.configuration()));
  }
  RunFolder folder(path, run, arguments.command, say);
  const std::string line = preset_line(preset_kind(settings), run.configuration(), "--preset none");
  if (!line.empty()) say(line);
  return train_in(run, folder, arguments.json);
}

}  // namespace retropg::app
