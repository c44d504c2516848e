#pragma once

#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// How finely one of the actions was told: as doubles, as floats (a plant's log) or on a grid (decimals, the codes of a
/// converter). Numbers that were rounded may agree by chance. Seen in the numbers: a grid of a thousandth of their
/// range or coarser from about 20 of them on, of a millionth from some hundreds on.
struct Rounding {
  int bits = 53;      // of the significand that are in use
  double grid = 0.0;  // all numbers are multiples of it; 0: of nothing coarser than their bits

  /// The distance between neighboring numbers about x.
  double step(double x) const;
};

/// Of action u, over all steps of the batch.
Rounding rounding_of(const TrajectoryBatch& batch, Index u);

}  // namespace retropg
