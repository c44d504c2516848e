#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "retropg/experiment/study.hpp"

namespace retropg::app {

/// What was picked for every arm, and all settings that were tried, as two tables.
std::string format_sweep(const StudyTask& task, const Study& study);

/// One line per setting.
std::string sweep_csv(const StudyTask& task);

nlohmann::ordered_json sweep_json(const StudyTask& task, const Study& study);

}  // namespace retropg::app
