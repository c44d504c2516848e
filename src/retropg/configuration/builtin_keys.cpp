#include "retropg/configuration/builtin_keys.hpp"

namespace retropg {
namespace {

Keys operator+(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

Keys optimizer_keys(const Configuration& configuration) {
  const Keys both = {"optimizer.kind", "optimizer.rate", "optimizer.trust"};
  if (configuration.optimizer.kind == "constant") return both;
  return both + Keys{"optimizer.beta1", "optimizer.beta2", "optimizer.epsilon"};
}

/// Of a method that takes the step itself.
Keys without_trust(Keys keys) {
  std::erase(keys, "optimizer.trust");
  return keys;
}

/// Of the power mean.
Keys coefficient_keys(const Configuration& configuration) {
  const std::string& rule = configuration.algo.coefficients;
  Keys keys = {"algo.coefficients"};
  if (rule == "adaptive" || rule == "bound-optimal") {
    keys = keys + Keys{"algo.constant", "algo.divergence", "algo.order"};
  }
  if (rule == "fixed" || rule.starts_with("theorem")) keys.push_back("algo.divergence_bound");
  if (rule == "theorem-independent") keys.push_back("algo.confidence");
  if (rule == "theorem-dependent") {
    keys = keys + Keys{"algo.gradient_bound", "algo.hessian_bound", "algo.score_bound"};
  }
  if (rule == "explicit") keys = keys + Keys{"algo.lambda", "algo.alpha"};
  return keys;
}

/// A behavior of bpo has a spread, which learned deviations do not go with.
Keys deviation_keys(const Configuration& configuration) {
  return configuration.algo.name == "bpo" ? Keys{} : Keys{"policy.learn_deviation"};
}

/// Sizes that are not set follow from the batch.
Keys recursive_keys(const Configuration& configuration) {
  const AlgorithmSettings& algo = configuration.algo;
  Keys keys = optimizer_keys(configuration) + Keys{"algo.snapshot", "algo.mini_batch", "algo.weights"};
  if (!algo.snapshot || !algo.mini_batch) keys.push_back("algo.batch");
  return keys;
}

}  // namespace

Keys simulation_keys(const Configuration&) {
  return {"env.horizon", "env.discount"};
}

Keys actuated_keys(const Configuration& configuration) {
  return simulation_keys(configuration) + Keys{"env.clip"};
}

Keys linear_quadratic_keys(const Configuration& configuration) {
  return simulation_keys(configuration) +
         Keys{"lqr.dynamics", "lqr.input", "lqr.state_cost", "lqr.action_cost", "lqr.process_noise", "lqr.start_range"};
}

Keys bandit_keys(const Configuration&) {
  return {"bandit.target", "bandit.width"};
}

Keys linear_policy_keys(const Configuration&) {
  return {"policy.bias", "policy.shift", "policy.scale"};
}

Keys linear_gaussian_keys(const Configuration& configuration) {
  return linear_policy_keys(configuration) + deviation_keys(configuration);
}

Keys network_keys(const Configuration& configuration) {
  Keys keys = linear_policy_keys(configuration) + Keys{"policy.hidden"};
  if (!configuration.policy.hidden.empty()) keys.push_back("policy.activation");
  return keys;
}

Keys gaussian_network_keys(const Configuration& configuration) {
  return network_keys(configuration) + Keys{"policy.action_shift", "policy.action_scale"} +
         deviation_keys(configuration);
}

Keys on_policy_keys(const Configuration& configuration) {
  return optimizer_keys(configuration) + Keys{"algo.batch"};
}

Keys windowed_keys(const Configuration& configuration) {
  return on_policy_keys(configuration) + Keys{"algo.window"};
}

Keys power_mean_keys(const Configuration& configuration) {
  return windowed_keys(configuration) + coefficient_keys(configuration);
}

Keys theory_keys(const Configuration& configuration) {
  return windowed_keys(configuration) + Keys{"algo.divergence_bound"};
}

Keys svrpg_keys(const Configuration& configuration) {
  const Keys keys = recursive_keys(configuration) + Keys{"algo.epoch", "algo.early_stop"};
  if (configuration.optimizer.kind == "constant") return keys;
  return (configuration.algo.two_adam ? without_trust(keys) : keys) + Keys{"algo.two_adam"};
}

Keys srvrpg_keys(const Configuration& configuration) {
  return recursive_keys(configuration) + Keys{"algo.epoch"};
}

Keys storm_keys(const Configuration& configuration) {
  return recursive_keys(configuration) + Keys{"algo.forgetting"};
}

Keys page_keys(const Configuration& configuration) {
  return recursive_keys(configuration) + Keys{"algo.refresh"};
}

Keys def_keys(const Configuration& configuration) {
  return page_keys(configuration) + Keys{"algo.current_share", "algo.mixture"};
}

Keys bpo_keys(const Configuration& configuration) {
  Keys keys = on_policy_keys(configuration) + Keys{"bpo.defensive", "bpo.reuse", "bpo.spread_low", "bpo.spread_high"};
  if (configuration.bpo.reuse) keys.push_back("algo.window");
  const std::optional<std::string>& kind = configuration.policy.kind;
  if (kind == "linear-gaussian" || kind == "softmax-linear" || kind == "softmax-mlp") return keys;
  return keys + Keys{"bpo.fit_steps", "bpo.fit_rate", "bpo.fit_decay", "bpo.fit_tolerance", "bpo.fit_divergence"};
}

Keys rnpg_keys(const Configuration& configuration) {
  const Keys keys = windowed_keys(configuration) + Keys{"rnpg.damping"};
  if (configuration.optimizer.kind != "constant") return keys;
  return without_trust(keys) + Keys{"rnpg.kl_limit", "rnpg.projection"};
}

Keys pois_keys(const Configuration&) {
  return {"algo.batch",    "pois.delta",           "pois.bound",  "pois.offline",
          "pois.centered", "pois.self_normalized", "pois.natural"};
}

Keys nes_keys(const Configuration& configuration) {
  const Keys own = {"algo.batch",         "algo.window",           "nes.weights",         "nes.gain",
                    "nes.mean_damping",   "nes.deviation_damping", "nes.deviation_limit", "nes.leaps_from",
                    "nes.recombine_from", "train.until_solved"};
  return configuration.nes.weights == "power-mean" ? own + coefficient_keys(configuration) : own;
}

}  // namespace retropg
