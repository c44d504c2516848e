#pragma once

#include <functional>

#include "retropg/core/function_ref.hpp"
#include "retropg/core/types.hpp"
#include "retropg/network/network.hpp"
#include "retropg/policy/step_block.hpp"

namespace retropg {

/// A step of a batch as NetworkPasses shows it.
struct ShownStep {
  Index step, trajectory;  // both counted from the first one shown
  const double* row;       // of the block
  const double* outputs;   // at theta
  const double* slope;     // derivative of the network's own outputs along the direction, if there is one
};

/// Passes of a network over a block of steps whose rows begin with its input. J is the Jacobian of the network's own
/// outputs with respect to its parameters, which are the first ones of theta.
class NetworkPasses {
 public:
  /// `finish` turns rows of the network's outputs into those that are shown, in place.
  using Finish = std::function<void(Index steps, double* outputs)>;
  NetworkPasses(const NetworkShape& shape, const StepBlock& steps, Finish finish)
      : shape_(shape), steps_(steps), finish_(std::move(finish)) {}

  /// Shows the steps of the chunks [first, last) in order.
  void for_steps(Parameters theta, Index first, Index last, FunctionRef<void(const ShownStep&)> visit) const;

  /// One row of theta.size() numbers per chunk. It begins with the sum over the chunk's steps of J' c, where
  /// `cotangent` writes c; to the rest, which is 0 at first, `cotangent` may add. `direction` may be empty.
  void pull_back(Parameters theta, Parameters direction, Index first, Index last, double* rows,
                 FunctionRef<void(const ShownStep&, double* c, double* rest)> cotangent) const;

  /// ||J' c||^2 for `count` cotangents c of every step, which `cotangent` writes.
  void gradient_squares(Parameters theta, Index count, Index first, Index last,
                        FunctionRef<void(const ShownStep&, Index k, double* c)> cotangent,
                        FunctionRef<void(const ShownStep&, Index k, double square)> visit) const;

 private:
  class Shower;

  const NetworkShape& shape_;
  const StepBlock& steps_;
  Finish finish_;
};

}  // namespace retropg
