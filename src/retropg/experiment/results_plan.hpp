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

/// A setting of an experiment; no number: none was given.
struct PlanItem {
  std::string name;
  std::variant<std::string, Index, std::optional<double>> value;
};

/// Everything that determines the tables of an experiment. Kept in its folder, so that nothing else goes on there.
struct ResultsPlan {
  std::vector<PlanItem> items;
  std::vector<Arm> arms;
  std::vector<std::optional<double>> expected_areas;  // one per arm, or none
};

/// The plan as a file, which also names the program's version and instruction set.
std::string to_toml(const ResultsPlan& plan);

/// How items are called on the command line, by their names.
using PlanFlags = std::map<std::string, std::string>;

/// Compares a plan with the text of a file. Throws an Error that names the first thing that differs; only threads may.
/// `flags` says for items that the user gives how they are called on the command line. Returns a warning if another
/// version or instruction set made the file, otherwise an empty string.
std::string require_same_plan(const ResultsPlan& plan, std::string_view file, const PlanFlags& flags);

}  // namespace retropg
