#pragma once

#include <string>
#include <vector>

#include "retropg/experiment/experiment_plan.hpp"

namespace retropg::app {

/// How the arms of a figure are called in its legend.
struct PanelLabels {
  std::vector<std::vector<std::string>> labels;  // by panel, in the order of its arms
  std::vector<std::string> left_out;             // what the labels do not say: "N" of "N = 16"
};

/// Short labels, so that arms that mean the same in several panels share one. The parts of a label between commas are
/// left out if the panel's title has them: "RPG, window 2" in the panel "window 2" is "RPG". So are those of one name,
/// such as "N = 16" and "N = 8", if panels then share labels. Labels of a panel stay different.
PanelLabels panel_labels(const std::vector<PanelPlan>& panels);

}  // namespace retropg::app
