#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "configuration_flags.hpp"
#include "retropg/core/types.hpp"
#include "retropg/storage/run_folder.hpp"

/// The parsed command line; each command is one function that returns the exit status.
namespace retropg::app {

struct TrainArguments {
  ConfigurationFlags flags;
  std::optional<std::string> out;
  bool json = false;
  std::string command;  // full command line, stored with the results
};
int train_command(const TrainArguments& arguments);

struct ResumeArguments {
  std::string path;  // run folder
  ResumeChanges changes;
  bool json = false;
};
int resume_command(const ResumeArguments& arguments);

struct DoctorArguments {
  std::string path;  // run or results folder
  bool json = false;
};
int doctor_command(const DoctorArguments& arguments);

struct ListArguments {
  std::vector<std::string> names;  // keys or sections of the configuration to explain; none: lists all names
  bool presets = false;            // lists presets instead, of the environments named; none: of all
  bool json = false;
};
int list_command(const ListArguments& arguments);
int list_presets(const std::vector<std::string>& names, bool json);

struct EvalArguments {
  std::string path;                   // run folder or policy file
  std::optional<std::string> policy;  // of the run folder; see load_trained_policy
  Index episodes = 100;
  Index seed = 1;
  Index threads = 0;  // 0: all cores
  bool json = false;
};
int eval_command(const EvalArguments& arguments);

struct CompareArguments {
  std::string algos = "all";        // see parse_arm_list
  ConfigurationFlags flags;         // without algo, iterations, budget, steps and threads; `env` may be a list
  std::vector<std::string> sweeps;  // see parse_sweeps
  std::optional<std::string> reference, out;
  std::optional<Index> budget;
  std::optional<double> threshold;
  Index seeds = 10;
  std::optional<Index> pick_seeds;  // unset: as many as `seeds`
  std::string keep = "policies";    // see parse_keep
  Index threads = 0;                // 0: all cores
  bool json = false;
  std::string command;  // full command line, stored with the results
};
int compare_command(const CompareArguments& arguments);

struct PlotArguments {
  std::vector<std::string> paths;           // run and results folders
  std::optional<std::string> out, metrics;  // metrics: names with commas between them; unset: what there is
  bool json = false;
};
int plot_command(const PlotArguments& arguments);

struct ReproduceArguments {
  std::vector<std::string> experiments;  // names or paths; "all" for every built-in one
  std::optional<std::string> out;
  std::optional<Index> runs;       // unset: the experiment's own number
  std::optional<Index> pick_runs;  // unset: the experiment's own number
  std::optional<double> scale;     // unset: the experiment's own share
  Index seed = 1;
  std::string keep = "policies";  // see parse_keep
  Index threads = 0;              // 0: all cores
  bool json = false;
  std::string command;  // full command line, stored with the results
};
int reproduce_command(const ReproduceArguments& arguments);

}  // namespace retropg::app
