#include "retropg/configuration/gradient_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/estimator/weighting_estimator.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/training/told_function.hpp"
#include "retropg/training/told_signs.hpp"

namespace retropg {
namespace {

void check_parameters(Parameters parameters, const Policy& policy, const std::string& whose) {
  require(as_index(parameters.size()) == policy.parameter_count(), whose + " " + std::to_string(parameters.size()) +
                                                                       " parameters; the policy has " +
                                                                       std::to_string(policy.parameter_count()));
  require(all_finite(parameters), whose + " a parameter that is not finite");
}

void check_batches(const Policy& policy, std::span<const BehaviorBatch> batches) {
  require(!batches.empty(), "an estimate needs at least one batch");
  ToldTrajectories told;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const std::string name = "batch " + std::to_string(i);
    check_parameters(batches[i].behavior, policy, name + " has");
    require(batches[i].trajectories.size() > 0, name + " has no trajectories");
    try {
      check(batches[i].trajectories, policy.observation_size(), policy.action_size(),
            std::numeric_limits<Index>::max());
      const auto& [behavior, trajectories] = batches[i];
      if (trajectories.collected) continue;
      check_exact_actions(policy, behavior, 1.0, trajectories, {});
      check_actions_of_parameters(policy, trajectories);
      const Fingerprints prints = fingerprints(policy, behavior, 1.0, trajectories);
      told.check(prints, trajectories);
      told.add(prints.hashes);
    } catch (const Error& error) {
      throw Error(name + ": " + error.what());
    }
  }
}

Index longest(std::span<const BehaviorBatch> batches) {
  Index steps = 1;
  for (const BehaviorBatch& batch : batches) {
    for (Index j = 0; j < batch.trajectories.size(); ++j) steps = std::max(steps, batch.trajectories.length(j));
  }
  return steps;
}

/// What the estimator sees of the environment.
EnvironmentDefinition definition(const Policy& policy, Index horizon, double discount) {
  return {.id = std::string(kPlant),
          .observation_size = policy.observation_size(),
          .action_size = policy.action_size(),
          .horizon = horizon,
          .discount = discount,
          .make = {}};
}

std::vector<Batch> digested(const Policy& policy, std::span<const BehaviorBatch> batches, double discount,
                            Credit credit) {
  std::vector<Batch> result;
  for (const auto& [behavior, trajectories] : batches) {
    Batch batch{.behavior = behavior,
                .evidence = policy.digest(behavior, trajectories, discount, credit),
                .returns = discounted_returns(trajectories, discount)};
    for (Index j = 0; j < trajectories.size(); ++j) batch.lengths.push_back(trajectories.length(j));
    batch.values = batch.returns;
    result.push_back(std::move(batch));
  }
  return result;
}

/// If every batch is infinitely far away, some rules give none a share; training skips such an update.
void require_shares(const Weights& weights) {
  const bool undefined = !weights.log_alpha.empty() && std::isnan(weights.log_alpha.front());
  require(!undefined,
          "the divergence of theta from every batch is infinite, so no batch can have a share: take a theta nearer to "
          "those that drew the batches, or algo.coefficients = \"fixed\", which does without divergences");
}

double exp_or_nan(const std::vector<double>& logs, std::size_t i) {
  return logs.empty() ? std::numeric_limits<double>::quiet_NaN() : std::exp(logs[i]);
}

/// (sum c)^2 / sum c^2.
double effective_sample_size(std::span<const double> c) {
  double sum = 0.0, squares = 0.0;
  for (const double x : c) {
    sum += x;
    squares += x * x;
  }
  return squares > 0.0 ? sum * sum / squares : 0.0;
}

}  // namespace

GradientEstimate estimate_gradient(const Configuration& configuration, const Policy& policy, Parameters theta,
                                   std::span<const BehaviorBatch> batches) {
  Configuration settings = canonical(configuration);
  check_configuration(settings);
  check_parameters(theta, policy, "theta has");
  check_batches(policy, batches);
  require(settings.algo.baseline == "none", "an estimate takes no baseline: leave algo.baseline at \"none\"");
  settings.algo.window = as_index(batches.size());
  const double discount = settings.env.discount.value_or(1.0);
  const auto estimator = make_estimator(settings, definition(policy, longest(batches), discount), policy);
  const auto* weighting = dynamic_cast<const WeightingEstimator*>(estimator.get());
  require(weighting != nullptr,
          settings.algo.name + " does not weight whole trajectories; " + Configuration().algo.name + " does");
  const bool on_policy = !reads(settings, "algo.window");
  require(!on_policy || (batches.size() == 1 && std::ranges::equal(batches.front().behavior, theta)),
          settings.algo.name + " reuses nothing: it takes one batch, drawn at theta");
  const Workers workers(thread_count(settings.train.threads));
  const OrderedSum sum(workers);
  const Estimate estimate = estimator->estimate(theta, digested(policy, batches, discount, estimator->credit()), sum);
  const Weights& weights = weighting->weights();
  require_shares(weights);
  require(all_finite(estimate.gradient), "the gradient is not finite");

  GradientEstimate result{.gradient = estimate.gradient,
                          .effective_sample_size = estimate.diagnostics.effective_sample_size,
                          .batches = {}};
  auto padded = weights.c.begin();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Index size = batches[i].trajectories.size();
    std::vector<double> own(padded, padded + size);
    padded += chunk_count(size) * kChunk;
    const double effective = effective_sample_size(own);
    result.batches.push_back({.weights = std::move(own),
                              .effective_sample_size = effective,
                              .log_divergence = weights.log_divergence[i],
                              .alpha = exp_or_nan(weights.log_alpha, i),
                              .lambda = exp_or_nan(weights.log_lambda, i)});
  }
  return result;
}

}  // namespace retropg
