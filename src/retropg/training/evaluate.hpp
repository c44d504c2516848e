#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

struct EvaluationOptions {
  Index episodes = 100;
  std::uint64_t seed = 1;
  Index threads = 1;
  bool deterministic = false;             // act with the mean instead of sampling
  std::function<void(Index)> progress{};  // called now and then with the number of episodes done
};

/// The discounted return of every episode. Episodes use the random numbers of iteration 0, which training never uses.
std::vector<double> evaluate(const EnvironmentDefinition& environment, const Policy& policy, Parameters theta,
                             const EvaluationOptions& options);

}  // namespace retropg
