#pragma once

#include "retropg/kernels/linear_feedback.hpp"

namespace retropg {

/// Interface of environments that choose the actions of a linear policy themselves: in a small block, handing over
/// between actor and environment at every step takes longer than acting.
class LinearFeedback {
 public:
  virtual ~LinearFeedback() = default;
  /// Simulates some steps. Gives the same bits as an actor and `Environment::step` in turn.
  virtual void follow(const kernels::FeedbackRows& rows) = 0;
};

}  // namespace retropg
