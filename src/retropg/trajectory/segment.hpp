#pragma once

#include "retropg/core/types.hpp"

namespace retropg {

/// A few steps of a block of lanes as rows of `lanes` numbers, one trajectory per lane: the rows of step t start at
/// t * size * lanes, and row i is i * lanes further on. Only the first `active` lanes (a multiple of kChunk) are in
/// use; `live` marks the numbers that belong to a step that was taken, and no others may enter a likelihood, a score or
/// a divergence.
struct Segment {
  Index lanes = 0;
  Index active = 0;
  Index steps = 0;
  double* columns = nullptr;        // the observation before acting, then the actor's notes, one row per action;
                                    // readers may overwrite what is not live
  const double* actions = nullptr;  // as sampled, one row per action
  const double* rewards = nullptr;  // discounted from the start of the trajectory; 0 where not live
  const double* live = nullptr;     // 1 or 0
  bool all_live = false;            // every active lane took every step
};

}  // namespace retropg
