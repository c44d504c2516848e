#pragma once

#include <string>

#include "retropg/training/run.hpp"

namespace retropg {

/// The text of result.json; docs/files.md describes it.
std::string result_json(const RunResult& result);

/// Throws Error if a text is not that of a run which came to these totals; only those are compared.
void check_result(const std::string& text, const RunResult& expected);

}  // namespace retropg
