#pragma once

#include <optional>
#include <string>

#include "retropg/experiment/experiment.hpp"

namespace retropg::test {

inline Decision decision(Verdict verdict, Index runs, std::optional<double> adjusted_p = {},
                         const std::string& statistic = "") {
  Decision result;
  result.verdict = verdict;
  result.runs = runs;
  result.adjusted_p = adjusted_p;
  result.statistic = statistic;
  return result;
}

inline DecidedClaim decided_claim(const std::string& text, const Decision& decision,
                                  const std::optional<Decision>& at_paper_runs = {}) {
  DecidedClaim claim;
  claim.claim.text = text;
  claim.decision = decision;
  claim.at_paper_runs = at_paper_runs;
  return claim;
}

}  // namespace retropg::test
