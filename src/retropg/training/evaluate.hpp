#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/training/trainer.hpp"

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

/// Evaluates iterates of a run, acting with the mean, on episodes that training never sees: its seeds are below 2^63,
/// and theirs is the run's plus 2^63.
class IterateEvaluation {
 public:
  IterateEvaluation(const EnvironmentDefinition& environment, const Policy& policy, std::uint64_t seed, Index episodes,
                    const Workers& workers);

  /// Other episodes for every iteration. Broken ones are left out; they must not stop a run that never needed them.
  Evaluation operator()(Parameters theta, Index iteration);

 private:
  Collector collector_;
  Index episodes_, slice_;
};

/// Episodes of the policy that a run returns, acting with its mean: other ones than those above.
struct FinalEpisodes {
  std::vector<double> returns;  // without broken ones
  Index steps = 0;              // with them; not known of slices where every one was
};
FinalEpisodes final_episodes(const EnvironmentDefinition& environment, const Policy& policy, Parameters theta,
                             std::uint64_t seed, Index episodes, const Workers& workers);

}  // namespace retropg
