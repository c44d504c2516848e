#include "retropg/estimator/estimator.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"

namespace retropg {

void Estimator::add_late(Batch /*batch*/) {
  throw Error("a method that does not reuse trajectories has no use for late ones");
}

std::vector<Draw> draw_at(Parameters theta, Index count, Index limit) {
  return {{.behavior = {theta.begin(), theta.end()}, .count = std::min(count, limit)}};
}

double batches_within(double budget, Index batch) {
  return std::ceil(budget / static_cast<double>(batch));
}

void require_capability(const Policy& policy, Capability capability, const std::string& needed_by) {
  if (policy.provides(capability)) return;
  const auto missing = [capability]() -> std::string {
    switch (capability) {
      case Capability::kSteps: return "does not keep individual steps";
      case Capability::kFisher: return "has no Fisher matrix";
      case Capability::kRenyiGradient: return "has no gradient of its Renyi divergence";
      case Capability::kDivergence: return "has no closed-form Kullback-Leibler divergence";
      case Capability::kDrawnParameters: return "does not draw its parameters";
      case Capability::kComponentCredits: return "does not support per-parameter credits";
      case Capability::kSpread: return "does not support a spread of its actions";
      case Capability::kConcave: return "has no closed-form maximum likelihood";
    }
    return "lacks a capability";
  };
  throw Error("this policy " + missing() + ", which " + needed_by + " needs");
}

}  // namespace retropg
