#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/text_table.hpp"
#include "retropg/experiment/study.hpp"

namespace retropg::app {

/// What was picked for every arm.
std::vector<Column> picked_columns(const StudyTask& task);

/// All settings that were tried.
std::vector<Column> tried_columns(const StudyTask& task);

/// How settings were picked.
std::string sweep_note(const Study& study);

/// All of that for a terminal of a width.
std::string format_sweep(const StudyTask& task, const Study& study, std::size_t width);

/// One line per setting.
std::string sweep_csv(const StudyTask& task);

nlohmann::ordered_json sweep_json(const StudyTask& task, const Study& study);

}  // namespace retropg::app
