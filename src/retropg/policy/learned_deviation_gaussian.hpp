#pragma once

#include <memory>

#include "retropg/policy/learned_deviation_model.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

/// Where the parameters of the mean start.
enum class MeanStart { kZero, kXavier };

/// a ~ N(mu(s), diag sigma^2) with theta = (parameters of mu, log sigma); sigma does not depend on s and starts as the
/// model says. The deterministic policy is mu. There is no Capability::kSpread: log pi has the term -log sigma, which
/// a spread does not scale.
std::unique_ptr<Policy> learned_deviation_gaussian(LearnedDeviationModel model, MeanStart start,
                                                   PolicyDescription description);

}  // namespace retropg
