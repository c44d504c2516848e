#pragma once

#include "retropg/core/types.hpp"

namespace retropg {

/// Names a draw of a run, for trajectories that come back late.
struct DrawId {
  Index iteration = 0;  // that asked for it: 1, 2, ...; 0 for the pilot
  Index index = 0;      // among the draws of that iteration: 0, 1, ...

  bool operator==(const DrawId&) const = default;
};

}  // namespace retropg
