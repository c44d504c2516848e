#pragma once

#include <span>
#include <string>

#include "retropg/experiment/experiment.hpp"

namespace retropg::app {

/// "0.0123", "< 0.0001", or "-" if the claim has no test.
std::string adjusted_p_text(const Decision& decision);

Index verdict_count(std::span<const DecidedClaim> claims, Verdict verdict);

/// How many claims have each verdict, in one sentence.
std::string verdict_counts(std::span<const DecidedClaim> claims);

/// What the verdicts rest on, in a few sentences.
std::string how_decided(std::span<const DecidedClaim> claims);

}  // namespace retropg::app
