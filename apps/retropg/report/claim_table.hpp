#pragma once

#include <span>

#include "report/html.hpp"
#include "retropg/experiment/experiment.hpp"

namespace retropg::app {

/// Claims with their verdicts, statistics and, if there are more runs than planned, the verdicts of the planned ones.
Html claim_table(std::span<const DecidedClaim> claims);

}  // namespace retropg::app
