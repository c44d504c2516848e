#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "retropg/experiment/comparison.hpp"

namespace retropg {

/// A key of the configuration and the values to try.
struct Sweep {
  std::string key;
  std::vector<std::string> values;
};

/// Parses lists such as `optimizer.rate=0.01,0.03,0.1`, one per key; commas inside brackets or quotes do not split.
/// Throws Error if a key is unknown, given twice or not an arm's to set, or if its values are wrong, fewer than two, or
/// not all different.
std::vector<Sweep> parse_sweeps(std::span<const std::string> texts);

/// The settings that an arm tries: every combination of values of the keys that it reads (see `reads`), in the order of
/// the values, the last key changing fastest; settings that would be the same count once. A key that the arm sets
/// itself, or does not read, keeps its one value.
std::vector<ArmPlan> sweep_settings(const Configuration& base, const ArmPlan& arm, std::span<const Sweep> sweeps);

/// A comparison of arms that each have one or more settings. Settings are picked with seeds of their own.
struct ReadySweep {
  ReadyComparison report;                  // of the picked settings; the first ones until `set_picks`
  std::vector<std::vector<Arm>> settings;  // of every arm
  std::uint64_t first_seed =
      1;                 // the seeds first_seed, first_seed + 1, ... are for picking, those after for the report
  Index pick_seeds = 0;  // 0: no arm has more than one setting
};

/// Validates all settings before anything runs. Optional arms lose settings that do not suit them. Throws like
/// `prepare`, and if a key is read by no arm.
ReadySweep prepare_sweep(const ComparisonPlan& plan, std::span<const Sweep> sweeps, Index pick_seeds);

/// A setting that was run on the seeds for picking.
struct TriedSetting {
  std::string label;
  std::vector<double> areas;  // one per seed; empty if the arm has one setting only, which is not run for picking
  MeanEstimate area{};
};

/// What was tried for an arm, and what was picked.
struct PickedSetting {
  std::vector<TriedSetting> tried;
  std::size_t picked = 0;  // the highest mean area; of equal ones the first
};

/// Picks a setting from the results of an arm's settings.
PickedSetting pick_setting(const ReadySweep& sweep, std::size_t arm, std::span<const ArmResult> results);

/// Makes the comparison one of the picked settings; one index per arm.
void set_picks(ReadySweep& sweep, std::span<const std::size_t> picks);

}  // namespace retropg
