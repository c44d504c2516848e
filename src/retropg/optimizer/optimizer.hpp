#pragma once

#include <memory>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

class Archive;

/// Updates parameters along the gradient of an objective to be maximized.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Moves theta. False, and nothing has changed, if a parameter would not be finite.
  virtual bool ascend(std::span<double> theta, std::span<const double> gradient) = 0;
  /// Restores the state from before the last `ascend`; at most once after each.
  virtual void discard() {}
  virtual void state(Archive& archive) = 0;
};

/// theta <- theta + rate g
std::unique_ptr<Optimizer> constant_step(double rate);

struct AdamOptions {
  double rate = 0.01;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;  // added outside the square root
};

/// m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
/// theta <- theta + rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
std::unique_ptr<Optimizer> adam(const AdamOptions& options);

}  // namespace retropg
