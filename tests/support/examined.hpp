#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "retropg/storage/examination.hpp"

namespace retropg::test {

/// All findings that are not fine, one per line.
inline std::string complaints(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::kFine) {
      text += name_of(finding.severity) + " " + finding.file + ": " + finding.text + "\n";
    }
  }
  return text;
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "got: " << text << "\nexpected: " << part;
}

/// Expects one of the findings to be about the file, of this severity, and to contain the text.
inline void expect_finding(const Examination& run, const std::string& file, Severity severity,
                           const std::string& text) {
  for (const Finding& finding : run.findings) {
    if (finding.file == file && finding.severity == severity && finding.text.find(text) != std::string::npos) return;
  }
  ADD_FAILURE() << "no finding '" << name_of(severity) << " " << file << ": " << text << "' but\n"
                << complaints(run.findings);
}

}  // namespace retropg::test
