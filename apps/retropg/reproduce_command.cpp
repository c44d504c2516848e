#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "commands.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/experiment/catalogue.hpp"
#include "retropg/experiment/table2.hpp"
#include "retropg/training/run_folder.hpp"
#include "threads.hpp"

namespace retropg::app {

int reproduce_command(const ReproduceArguments& arguments) {
  std::vector<std::string> known;
  for (const Entry& entry : experiments()) known.push_back(entry.name);
  require(std::ranges::find(known, arguments.experiment) != known.end(),
          unknown("experiment", arguments.experiment, known));
  require(!arguments.runs || (*arguments.runs >= 2 && *arguments.runs <= 100000),
          fmt::format("--runs must be a whole number from 2 to 100000, not {}", arguments.runs.value_or(0)));
  require(arguments.seed >= 0, fmt::format("--seed must not be negative, but is {}", arguments.seed));
  const Index threads = thread_count(arguments.threads);
  const std::filesystem::path folder =
      arguments.out ? std::filesystem::path(*arguments.out)
                    : std::filesystem::path("results") /
                          fmt::format("{}__{:%Y%m%dT%H%M%SZ}", arguments.experiment, fmt::gmtime(std::time(nullptr)));
  check_run_folder(folder);

  watch_for_interrupts();
  Progress progress;
  const Table2Options options{
      .runs = arguments.runs.value_or(0), .seed = static_cast<std::uint64_t>(arguments.seed), .threads = threads};
  Table2 table;
  try {
    table = run_table2(options, [&](Index done, Index total) {
      if (progress.due(done, total)) progress.show(done, total, fmt::format("run {} of {}", done, total));
      return interrupt_status() == 0;
    });
  } catch (const RunError&) {
    progress.finish();
    if (interrupt_status() != 0) return interrupt_status();
    throw;
  }
  progress.finish();
  if (interrupt_status() != 0) return interrupt_status();  // came after the last run

  std::filesystem::create_directories(folder);
  std::string problem;
  const bool drawn = write_table2(table, folder, &problem);
  if (!drawn) fmt::print(stderr, "retropg: the figure was not drawn: {}\n", problem);
  if (arguments.json) {
    fmt::print("{}\n", table2_json(table, folder));
  } else {
    const auto agreeing = std::ranges::count(table.ratios, true, &RatioCell::agrees);
    fmt::print(
        "{}\n{} of {} ratios agree with the paper (intervals overlap). {} million steps in {:.2f} s on {} threads.\n",
        format_table2(table), agreeing, table.ratios.size(), (table.steps + 500000) / 1000000, table.seconds, threads);
    fmt::print("{}: {}\n", drawn ? "Figure and data" : "Data",
               (folder / (drawn ? "figure.png" : "curves.csv")).string());
  }
  return drawn ? 0 : 1;
}

}  // namespace retropg::app
