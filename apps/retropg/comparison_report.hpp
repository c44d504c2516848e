#pragma once

#include <filesystem>
#include <string>

#include "retropg/experiment/comparison.hpp"

namespace retropg::app {

struct ReportOptions {
  std::filesystem::path folder;  // must not exist yet
  std::string command;           // full command line, stored with the results
  bool json = false;
};

/// Runs the comparison, writes its folder and prints the result. Returns the exit status.
int report_comparison(const ReadyComparison& ready, const ReportOptions& options);

}  // namespace retropg::app
