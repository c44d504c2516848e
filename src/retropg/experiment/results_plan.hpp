#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "retropg/experiment/arm.hpp"
#include "retropg/core/types.hpp"

namespace retropg {

/// A setting of an experiment.
struct PlanItem {
  std::string name;
  std::variant<std::string, Index, double> value;
  bool fixed = true;  // decides what the runs of the folder are; otherwise it may change from one call to the next
};

/// Everything that determines the runs of an experiment. Kept in its folder, so that nothing else goes on there. The
/// number of seeds may change: more runs can be added later.
struct ResultsPlan {
  std::vector<PlanItem> items;
  std::vector<Arm> arms;
};

/// The plan as a file, which also names the program's version and instruction set.
std::string to_toml(const ResultsPlan& plan);

/// How items are called on the command line, by their names.
using PlanFlags = std::map<std::string, std::string>;

/// Compares a plan with the text of a file. Throws an Error that names the first thing that differs; only threads and
/// what is not fixed may.
/// `flags` says for items that the user gives how they are called on the command line. Returns a warning if another
/// version or instruction set made the file, otherwise an empty string.
std::string require_same_plan(const ResultsPlan& plan, std::string_view file, const PlanFlags& flags);

}  // namespace retropg
