#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gym_environment.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/policy/sampler.hpp"
#include "retropg/storage/trained_policy.hpp"

namespace retropg::python {

/// A policy with its parameters, ready to act.
class ActingPolicy {
 public:
  /// Of a run that has this environment.
  ActingPolicy(const Configuration& configuration, const EnvironmentDefinition& environment, Parameters theta);
  /// Of a run folder or a policy file, see load_trained_policy. Where its environment does not exist, it can act, but
  /// not be evaluated.
  ActingPolicy(const std::string& path, const std::optional<std::string>& choice);

  const SavedPolicy& saved() const { return saved_; }
  Index observation_size() const { return saved_.observation_size; }
  Index action_size() const { return saved_.action_size; }

  /// The actions for rows of observations. Where the environment clips actions, so does this.
  void act(std::span<const double> observations, std::span<double> actions) const;
  /// The same with drawn actions. Each row is a trajectory of its own; it begins with the first call, and where
  /// `starts` is true. Random numbers follow from the seed.
  void sample(std::span<const double> observations, std::span<const bool> starts, std::span<double> actions);
  void seed(std::uint64_t seed);

  /// On the environment that it was trained on; one that is handed over (else null) must fit.
  std::vector<double> evaluate(const EvaluationOptions& options, const std::shared_ptr<GymSource>& environment) const;

 private:
  void prepare();
  void clip(std::span<double> actions) const;

  Configuration configuration_;
  EnvironmentDefinition environment_;  // without `make` if it does not exist here
  SavedPolicy saved_;
  std::unique_ptr<Policy> policy_;
  std::uint64_t seed_ = 1;
  std::uint32_t episodes_ = 0;
  std::vector<Sampler> samplers_;
};

}  // namespace retropg::python
