#include "report/aggregate_output.hpp"

#include <iterator>

#include <fmt/format.h>

#include "report/csv.hpp"
#include "report/text_table.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

Json json(const Interval& interval) {
  return Json::array({interval.low, interval.high});
}

std::string interval_text(double value, const Interval& interval) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", value, interval.low, interval.high);
}

std::string aggregate_csv(const Aggregate& aggregate) {
  std::string text = "arm,iqm,iqm_low,iqm_high\n";
  for (const AggregateArm& arm : aggregate.arms) {
    text +=
        fmt::format("{},{},{},{}\n", csv_cell(arm.label), arm.interquartile_mean, arm.interval.low, arm.interval.high);
  }
  return text;
}

std::string pairs_csv(const Aggregate& aggregate) {
  std::string text = "candidate,reference,probability,probability_low,probability_high\n";
  for (const AggregatePair& pair : aggregate.pairs) {
    text += fmt::format("{},{},{},{},{}\n", csv_cell(aggregate.arms[pair.candidate].label),
                        csv_cell(aggregate.arms[pair.reference].label), pair.probability, pair.interval.low,
                        pair.interval.high);
  }
  return text;
}

std::string normalized_csv(const Study& study) {
  std::string text = "environment,arm,seed,score\n";
  for (const AggregateArm& arm : study.aggregate->arms) {
    for (std::size_t task = 0; task < arm.scores.size(); ++task) {
      for (std::size_t run = 0; run < arm.scores[task].size(); ++run) {
        text += fmt::format("{},{},{},{}\n", csv_cell(study.tasks[task].environment), csv_cell(arm.label),
                            study.tasks[task].comparison.plan.first_seed + run, arm.scores[task][run]);
      }
    }
  }
  return text;
}

std::string profiles_csv(const Aggregate& aggregate) {
  std::string text = "arm,score,fraction,low,high\n";
  for (const AggregateArm& arm : aggregate.arms) {
    const PerformanceProfile& profile = arm.profile;
    for (std::size_t k = 0; k < profile.threshold.size(); ++k) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", csv_cell(arm.label), profile.threshold[k],
                     profile.fraction[k], profile.band[k].low, profile.band[k].high);
    }
  }
  return text;
}

}  // namespace

std::string format_aggregate(const Study& study, std::size_t width) {
  const Aggregate& aggregate = *study.aggregate;
  const std::string& reference = aggregate.arms[aggregate.reference].label;
  std::vector<Column> columns = {{"algorithm", {}}, {"IQM of score", {}}, {"P(better)", {}}};
  for (const std::size_t i : aggregate.order()) {
    const AggregateArm& arm = aggregate.arms[i];
    columns[0].cells.push_back(arm.label);
    columns[1].cells.push_back(interval_text(arm.interquartile_mean, arm.interval));
    if (i == aggregate.reference) {
      columns[2].cells.push_back("reference");
    } else {
      const AggregatePair& pair = aggregate.pair(i, aggregate.reference);
      columns[2].cells.push_back(interval_text(pair.probability, pair.interval));
    }
  }
  std::string text = fmt::format("All {} environments together\n\n{}", study.tasks.size(), aligned(columns, width));
  text +=
      "\nA score is the area of a run, normalized: 0 is the return of uniformly random actions, 1 the best return "
      "known.\n";
  for (std::size_t task = 0; task < study.tasks.size(); ++task) {
    text += fmt::format("  {}: 0 is {:.4g}, 1 is {:.4g}\n", study.tasks[task].environment, study.returns[task].random,
                        study.returns[task].best);
  }
  text += fmt::format(
      "  IQM of score  interquartile mean over the runs of all environments\n"
      "  P(better)     probability that a run has a larger area than a run of {}, averaged over environments\n"
      "Intervals are 95 % bootstrap intervals, stratified by environment (2000 resamples). They do not cover that "
      "other environments might have been chosen.\n",
      reference);
  if (!aggregate.left_out.empty()) {
    text += fmt::format("Not on every environment, so left out here: {}\n", fmt::join(aggregate.left_out, ", "));
  }
  return text;
}

Json aggregate_json(const Study& study) {
  const Aggregate& aggregate = *study.aggregate;
  Json environments = Json::array(), arms = Json::array(), pairs = Json::array();
  for (std::size_t task = 0; task < study.tasks.size(); ++task) {
    environments.push_back({{"environment", study.tasks[task].environment},
                            {"random_return", study.returns[task].random},
                            {"best_return", study.returns[task].best}});
  }
  for (const AggregateArm& arm : aggregate.arms) {
    arms.push_back({{"arm", arm.label},
                    {"algorithm", arm.algorithm},
                    {"iqm", arm.interquartile_mean},
                    {"iqm_interval", json(arm.interval)},
                    {"scores", arm.scores}});
  }
  for (const AggregatePair& pair : aggregate.pairs) {
    pairs.push_back({{"candidate", aggregate.arms[pair.candidate].label},
                     {"reference", aggregate.arms[pair.reference].label},
                     {"probability", pair.probability},
                     {"probability_interval", json(pair.interval)}});
  }
  return {{"environments", environments},
          {"reference", aggregate.arms[aggregate.reference].label},
          {"arms", arms},
          {"pairs", pairs},
          {"left_out", aggregate.left_out}};
}

void write_aggregate(const Study& study, const Place& folder) {
  write_file(folder / "aggregate.csv", aggregate_csv(*study.aggregate));
  write_file(folder / "aggregate-pairs.csv", pairs_csv(*study.aggregate));
  write_file(folder / "normalized.csv", normalized_csv(study));
  write_file(folder / "profiles.csv", profiles_csv(*study.aggregate));
}

}  // namespace retropg::app
