#pragma once

#include <memory>
#include <vector>

#include "retropg/policy/policy.hpp"

namespace retropg {

enum class EvidenceKind { kMoments, kSteps };

struct LinearGaussianOptions {
  Index observation_size = 0;
  Index action_size = 0;
  std::vector<double> variance{1.0};  // sigma^2, one number or one per action; if learned, at the start
  bool bias = false;                  // a constant feature 1 after the observation
  std::vector<double> shift{};        // feature = (observation - shift) * scale; empty: as observed
  std::vector<double> scale{};
  bool learn_deviation = false;  // log sigma follows Theta in the parameters; the evidence is then made of steps
  EvidenceKind evidence = EvidenceKind::kMoments;
  bool component_credits = false;  // steps will carry one credit per parameter; affects their memory cost
};

/// a ~ N(Theta f(s), diag sigma^2) with Theta in R^{d_a x d_f} row-major and f(s) = ((s - shift) * scale, 1 if bias).
/// Score entry (u, v) = (a_u - mu_u) f_v / sigma_u^2. Starts at Theta = 0.
std::unique_ptr<Policy> linear_gaussian(const LinearGaussianOptions& options);

/// The cheaper representation for trajectories of at most `horizon` steps.
EvidenceKind cheaper_evidence(const LinearGaussianOptions& options, Index horizon);

}  // namespace retropg
