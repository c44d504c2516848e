#pragma once

#include <string>
#include <vector>

#include "retropg/experiment/claim.hpp"
#include "retropg/experiment/comparison.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {

struct PanelPlan {
  std::string title;
  std::vector<std::string> arms;  // labels
};

struct FigurePlan {
  std::string name;  // of its files: figure.png for an empty one, else figure-NAME.png
  std::string title;
  Axis axis = Axis::kCollected;
  std::vector<PanelPlan> panels;
};

/// A run time that the paper reports.
struct ExpectedSeconds {
  std::string arm;
  double value = 0.0;
};

/// An experiment as its folder describes it; docs/experiments.md has the format.
struct ExperimentPlan {
  std::string name;
  std::string place;          // in front of file names in messages
  ComparisonPlan comparison;  // with the paper's number of runs and, until `at_scale`, its budgets
  double scale = 1.0;         // share of the paper's budget per run
  Index paper_runs = 0;
  std::vector<std::string> sweeps;  // see parse_sweeps; every arm tries them
  Index pick_runs = 0;              // runs per setting that is tried
  double minutes = 0.0;             // on two cores, as planned; 0: not known
  std::vector<FigurePlan> figures;
  std::vector<ExpectedSeconds> seconds;
  std::vector<Claim> claims;
};

/// The texts of an experiment's files.
struct ExperimentTexts {
  std::string name;      // for messages and folders
  std::string place;     // in front of file names in messages: "experiments/window/"
  std::string base;      // base.toml
  std::string plan;      // experiment.toml
  std::string expected;  // expected.toml; may be empty
};

/// Throws an Error that names the file, and the place in it, if something is missing, unknown or wrong.
ExperimentPlan parse_experiment(const ExperimentTexts& texts);

/// A built-in experiment.
ExperimentPlan builtin_experiment(const std::string& name);

/// An experiment in a folder of the user's own.
ExperimentPlan load_experiment(const std::filesystem::path& folder);

/// Budgets times `scale`, which must be above 0 and at most 1.
ExperimentPlan at_scale(ExperimentPlan plan, double scale);

}  // namespace retropg
