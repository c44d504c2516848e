#include <algorithm>

#include <fmt/format.h>

#include "commands.hpp"
#include "comparison_report.hpp"
#include "report/table2_output.hpp"
#include "results.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/experiment/catalog.hpp"
#include "retropg/experiment/comparison_file.hpp"
#include "say.hpp"
#include "threads.hpp"

namespace retropg::app {
namespace {

ResultsOptions results_options(const ReproduceArguments& arguments) {
  return {.out = arguments.out,
          .name = arguments.experiment,
          .keep = arguments.keep,
          .flags = {{"runs", "--runs"}, {"seeds", "--runs"}, {"seed", "--seed"}},
          .command = arguments.command};
}

int reproduce_table2(const ReproduceArguments& arguments, Index threads) {
  const ReadyTable2 ready = prepare_table2(
      {.runs = arguments.runs.value_or(0), .seed = static_cast<std::uint64_t>(arguments.seed), .threads = threads});
  ResultsFolder folder(results_plan(ready), arguments.experiment, results_options(arguments));
  Table2 table;
  const int status =
      run_watched(folder, [&](const RunProgress& progress) { table = run_table2(ready, progress, &folder.runs()); });
  if (status != 0) return status;

  std::string problem;
  const bool drawn = write_table2(table, folder.path(), &problem);
  if (!drawn) say("the figure was not drawn: " + problem);
  if (arguments.json) {
    fmt::print("{}\n", table2_json(table, folder.path()));
  } else {
    const auto agreeing = std::ranges::count(table.ratios, true, &RatioCell::agrees);
    fmt::print(
        "{}\n{} of {} ratios agree with the paper (intervals overlap). {} million steps in {:.2f} s on {} threads.\n",
        format_table2(table), agreeing, table.ratios.size(), (table.steps + 500000) / 1000000, table.seconds, threads);
    fmt::print("{}: {}\n", drawn ? "Figure and data" : "Data",
               (folder.path() / (drawn ? "figure.png" : "curves.csv")).string());
  }
  return drawn ? 0 : 1;
}

int reproduce_comparison(const ReproduceArguments& arguments, Index threads) {
  ComparisonPlan plan = comparison_plan(arguments.experiment);
  plan.seeds = arguments.runs.value_or(plan.seeds);
  plan.first_seed = static_cast<std::uint64_t>(arguments.seed);
  plan.threads = threads;
  return report_comparison(prepare(std::move(plan)), arguments.experiment, results_options(arguments), arguments.json);
}

}  // namespace

int reproduce_command(const ReproduceArguments& arguments) {
  std::vector<std::string> known;
  for (const RegistryEntry& entry : experiments()) known.push_back(entry.name);
  require(std::ranges::find(known, arguments.experiment) != known.end(),
          unknown_name_message("experiment", arguments.experiment, known));
  require(!arguments.runs || (*arguments.runs >= 2 && *arguments.runs <= 100000),
          fmt::format("--runs must be a whole number from 2 to 100000, not {}", arguments.runs.value_or(0)));
  require(arguments.seed >= 0, fmt::format("--seed must not be negative, but is {}", arguments.seed));
  const Index threads = threads_of_flag(arguments.threads);
  return arguments.experiment == "table2" ? reproduce_table2(arguments, threads)
                                          : reproduce_comparison(arguments, threads);
}

}  // namespace retropg::app
