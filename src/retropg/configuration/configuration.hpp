#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// `AlgorithmSettings::constant` in the paper, and in its code MagicRL (4 ln 5 / 3).
inline constexpr double kPaperConstant = 1.0;
inline constexpr double kMagicRlConstant = 2.1459172165788005;

struct EnvironmentSettings {
  std::string id = "CartPoleContinuous-v0";  // as `retropg list` names it
  std::optional<Index> horizon;    // T, the largest number of steps per trajectory; unset: the environment's default
  std::optional<double> discount;  // gamma; unset: the environment's default
  bool clip = false;  // clip actions to their ranges before the environment sees them; rewards then do not see more

  bool operator==(const EnvironmentSettings&) const = default;
};

/// s' = A s + B a + noise, reward -(s' Q s + a' R a); matrices are row-major; empty or unset: the environment's
/// defaults.
struct LqrSettings {
  std::vector<double> dynamics;         // A
  std::vector<double> input;            // B
  std::vector<double> state_cost;       // Q
  std::vector<double> action_cost;      // R
  std::optional<double> process_noise;  // standard deviation of the noise
  std::optional<double> start_range;    // each coordinate of the first state is uniform in [-range, range]

  bool operator==(const LqrSettings&) const = default;
};

struct BanditSettings {
  std::optional<double> target;  // the best action; unset: the environment's default
  std::optional<double> width;   // of the reward's peak; unset: the environment's default

  bool operator==(const BanditSettings&) const = default;
};

/// Variances are far beyond any use at these limits, but squares of what follows from them are finite.
inline constexpr double kSmallestVariance = 1e-50, kLargestVariance = 1e50;

struct PolicySettings {
  // As `retropg list` names it; unset: linear-gaussian, or softmax-linear where actions are discrete.
  std::optional<std::string> kind;
  std::vector<double> variance{0.3};  // sigma^2, one number or one per action
  bool learn_deviation = false;       // also learn log sigma, one per action, from where the variance puts it
  // What is drawn: "actions", or "parameters" once per trajectory; unset: as the algorithm requires, else actions.
  std::optional<std::string> exploration;
  bool bias = false;          // a constant feature 1 after the observation
  std::vector<double> shift;  // feature = (observation - shift) * scale; empty: as observed
  std::vector<double> scale;
  std::string scaling = "none";  // "pilot": if no scale is given, it comes from a first trajectory of random actions
  std::optional<double> width;   // in place of both variances: first deviation of an action, in units of half its range
  std::vector<Index> hidden{32, 32};  // sizes of the hidden layers; networks only, like the next
  std::string activation = "tanh";    // of the hidden layers
  std::vector<double> action_shift;   // "mlp-gaussian": mean = action_shift + action_scale * output; empty: the output
  std::vector<double> action_scale;
  std::string evidence = "auto";  // what is stored of a batch: "moments", "steps" or the cheaper one

  /// Whether the policy is a network.
  bool has_layers() const { return kind == "mlp-gaussian" || kind == "softmax-mlp"; }

  bool operator==(const PolicySettings&) const = default;
};

struct AlgorithmSettings {
  std::string name = "rpg";               // as `retropg list` names it
  Index batch = 10;                       // N, fresh trajectories per iteration
  Index window = 8;                       // omega, batches in use, including the fresh one; kFullReuse: all
  std::string coefficients = "adaptive";  // the rule for lambda and alpha
  double constant = kPaperConstant;       // c in lambda = sqrt(c / (N omega d))
  std::string divergence = "product";     // how d is estimated
  double order = 2.0;                     // of the Renyi divergence
  double divergence_bound = 1.0;          // D, in place of d if the rule does not estimate it
  double confidence = 0.2;                // delta
  double gradient_bound = 0.0;            // G; "theorem-dependent" only, like the next two
  double hessian_bound = 0.0;             // G2
  double score_bound = 0.0;               // L1
  std::vector<double> lambda;             // "explicit" only: by age, the fresh batch first
  std::vector<double> alpha;              // "explicit" only: by age, the fresh batch first
  std::string baseline = "none";          // subtracted from the credit of every step
  std::optional<Index> snapshot;          // N, trajectories per snapshot of the recursive methods; unset: 5.5 batches
  std::optional<Index> mini_batch;        // B, trajectories per iteration between snapshots; unset: half a batch
  Index epoch = 10;                       // m: updates from one snapshot to the next (svrpg, srvrpg)
  double refresh = 0.1;                   // p: the probability of a snapshot (page-pg, def-pg)
  double forgetting = 0.9;                // storm-pg: a, the share of the old estimate that is forgotten
  std::string weights = "decision";       // of the recursive methods: one per decision, or one per trajectory
  bool two_adam = false;                  // svrpg: one Adam for snapshots and another for the updates between them
  bool early_stop = false;                // svrpg: ends an epoch once its updates gain less than a snapshot's
  double current_share = 0.5;             // def-pg: share of the current policy in the mixture
  std::string mixture = "stratified";     // def-pg: shares are exact up to rounding, or drawn at random

  bool operator==(const AlgorithmSettings&) const = default;
};

/// Settings of the baselines that use earlier batches.
struct BaselineSettings {
  double rate = 0.05;  // weight of the newest batch in the running mean
  double ridge = 0.1;  // penalty of the value fit, relative to the mean squares of its features

  bool operator==(const BaselineSettings&) const = default;
};

struct RnpgSettings {
  double damping = 1.0;     // relative to the mean diagonal entry of the Fisher matrix
  double kl_limit = 0.01;   // of a step taken by rnpg itself; 0: no limit
  double projection = 0.0;  // radius of the ball that holds the parameters; 0: no limit

  bool operator==(const RnpgSettings&) const = default;
};

struct BpoSettings {
  double defensive = 0.3;    // share of the batch drawn from the current policy
  bool reuse = false;        // earlier batches also enter the gradient, at most algo.window iterations
  double spread_low = 0.25;  // limits of the behavior's standard deviation, in units of the policy's
  double spread_high = 4.0;
  Index fit_steps = 1000;  // networks only, like the next four: steps of Adam on the cross-entropy
  double fit_rate = 1e-4;
  double fit_decay = 10.0;      // weight decay
  double fit_divergence = 1.0;  // largest divergence from the current policy, in nats per trajectory; 0: no limit
  double fit_tolerance = 1e-3;  // ends the fit when the norm of its gradient is below this

  bool operator==(const BpoSettings&) const = default;
};

struct PoisSettings {
  double delta = 0.99;                  // of the bound; 1: no penalty
  std::string bound = "max-d2";         // the two factors of the penalty
  std::optional<Index> offline;         // most ascent steps per iteration; unset: 10, or 100 if parameters are drawn
  std::optional<bool> centered;         // subtract the mean return; unset: true, or false if parameters are drawn
  std::optional<bool> self_normalized;  // divide weights by their sum; unset: true if parameters are drawn
  std::optional<bool> natural;          // direction F^{-1} g; unset: true if parameters are drawn

  bool operator==(const PoisSettings&) const = default;
};

struct NesSettings {
  std::string weights = "balance";  // how reused draws are weighted: "balance" or "power-mean"
  double gain = 1.5;                // eta, multiplies the step of the means
  double mean_damping = 0.5;        // c_mu, of the step of the means
  double deviation_damping = 30.0;  // c_sigma, of the step of the deviations
  double deviation_limit = 0.1;     // largest change of a log sigma per iteration; 0: no limit
  Index leaps_from = 13;            // parameters from which the search leaps and shrinks its steps; 0: never
  Index recombine_from = 13;        // parameters from which it also recombines once leaps are rare; 0: never

  bool operator==(const NesSettings&) const = default;
};

/// Settings of parameter-based exploration: theta ~ N(mu, diag sigma^2) for a deterministic policy.
struct HyperpolicySettings {
  std::vector<double> variance{0.3};  // sigma^2 at the start, one number or one per parameter
  bool learn_deviation = false;       // also learn log sigma; nes always does

  bool operator==(const HyperpolicySettings&) const = default;
};

struct OptimizerSettings {
  std::string kind = "adam";  // "adam" or "constant"
  double rate = 0.01;         // eta
  double beta1 = 0.9;         // Adam only, like the next two
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double trust = 0.0;  // largest divergence of the policy after an update from the one before, in nats per trajectory

  bool operator==(const OptimizerSettings&) const = default;
};

/// Of train.confirm: a number that follows from the budget.
inline constexpr Index kAutomatic = -1;

struct TrainSettings {
  std::optional<Index> iterations;  // K; unset: 1000, or as many as the budget or the steps allow
  Index budget = 0;                 // number of collected trajectories after which training ends; 0: no limit
  Index steps = 0;                  // training ends after the iteration that reaches this number of steps; 0: no limit
  std::uint64_t seed = 1;           // below 2^63, so that TOML can hold it
  Index threads = 0;                // 0: all cores
  Index lanes = 32;                 // trajectories simulated side by side; results do not depend on it
  std::string output = "estimate";  // the iterate a run returns: "estimate", "best", "last" or "random"
  std::string broken = "stop";      // what a broken trajectory leads to: the run stops, or the trajectory is dropped
  Index eval_every = 0;             // iterations from one evaluation of the mean policy to the next; 0: none
  Index eval_episodes = 20;         // of each evaluation
  Index confirm = 0;                // episodes of the returned policy's mean at the end, part of the budget
  bool until_solved = false;        // nes: ends when every trajectory reaches the largest return

  bool operator==(const TrainSettings&) const = default;
};

/// When a run folder gets a checkpoint, apart from the first and the last iteration and signals.
struct CheckpointSettings {
  Index every = 0;        // iterations; 0: never by number
  double seconds = 60.0;  // longer if writing one takes more than a hundredth of that; 0: never by time

  bool operator==(const CheckpointSettings&) const = default;
};

struct LogSettings {
  Index metrics = 1;        // iterations per line of metrics.jsonl; 0: no such file
  bool tensorboard = true;  // events.out.tfevents.*
  bool monitor = true;      // monitor.csv and, with evaluations, evaluations.npz

  bool operator==(const LogSettings&) const = default;
};

/// Everything that determines a run. A plain struct: fill it in by hand (then see `check_configuration`) or read it
/// from TOML.
struct Configuration {
  EnvironmentSettings env;
  LqrSettings lqr;
  BanditSettings bandit;
  PolicySettings policy;
  AlgorithmSettings algo;
  OptimizerSettings optimizer;
  TrainSettings train;
  BaselineSettings baseline;
  RnpgSettings rnpg;
  BpoSettings bpo;
  PoisSettings pois;
  NesSettings nes;
  HyperpolicySettings hyperpolicy;
  CheckpointSettings checkpoint;
  LogSettings log;

  bool operator==(const Configuration&) const = default;
};

// Every function below throws `Error` with a one-line message and then leaves its arguments unchanged. Ranges and
// choices are checked here; whether an environment, a policy or an algorithm of that name exists is checked when it is
// made.

/// What to do with keys that have since been renamed: policies in older run folders must still load.
enum class OldKeys { kRefuse, kAccept };

/// Parses a text and overrides the defaults with its keys; `name` is the file name in errors.
Configuration parse_configuration(std::string_view text, const std::string& name);

/// Overrides the configuration with the keys of a text.
void apply_text(Configuration& configuration, std::string_view text, const std::string& name,
                OldKeys old_keys = OldKeys::kRefuse);

/// Parses the configuration that a run wrote with `to_toml`, whose keys may have names from an earlier version. Throws
/// an Error that says so if the text is cut.
Configuration parse_run_configuration(std::string_view text, const std::string& name);

/// Applies an assignment such as `algo.window=4`: a key and a TOML value. A word that is not a TOML value is taken as a
/// string. Errors begin with "--set algo.window=4: ".
void apply_setting(Configuration& configuration, std::string_view assignment);

/// A flag that sets a key, as the user gave it.
struct FlagValue {
  std::string flag, key, value;
};

/// Like `apply_setting`, with errors that begin with "--window 4: ".
void apply_flag(Configuration& configuration, const FlagValue& given);

/// Checks a configuration that was filled in by code as if it came from a file.
void check_configuration(const Configuration& configuration);

/// Writes every key in its section, unset ones as comments; `parse_configuration` reads back an equal configuration.
std::string to_toml(const Configuration& configuration);

/// The names of the keys whose values differ.
std::vector<std::string> differing_keys(const Configuration& a, const Configuration& b);

/// The value of a key as TOML, or what it means to be unset.
std::string setting_text(const Configuration& configuration, std::string_view key);

/// The text of docs/configuration.md.
std::string configuration_reference();

/// The names of all keys ("algo.window"), in the order of the reference.
std::vector<std::string> configuration_keys();

}  // namespace retropg
