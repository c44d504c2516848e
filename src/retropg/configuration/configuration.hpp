#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// `AlgorithmSettings::constant` as the paper has it, and as its code MagicRL does (4 ln 5 / 3).
inline constexpr double kPaperConstant = 1.0;
inline constexpr double kMagicRlConstant = 2.1459172165788005;

struct EnvironmentSettings {
  std::string id = "CartPoleContinuous-v0";  // as `retropg list` names it
  std::optional<Index> horizon;              // T, the most steps of a trajectory; unset: the environment's own
  std::optional<double> discount;            // gamma; unset: the environment's own

  bool operator==(const EnvironmentSettings&) const = default;
};

/// s' = A s + B a + noise, reward -(s' Q s + a' R a); matrices row-major, empty or unset: the environment's own.
struct LqrSettings {
  std::vector<double> dynamics;         // A
  std::vector<double> input;            // B
  std::vector<double> state_cost;       // Q
  std::vector<double> action_cost;      // R
  std::optional<double> process_noise;  // standard deviation of the noise
  std::optional<double> start_range;    // starts are uniform in [-range, range], each coordinate

  bool operator==(const LqrSettings&) const = default;
};

struct BanditSettings {
  std::optional<double> target;  // the best action; unset: the environment's own
  std::optional<double> width;   // of the reward's bump; unset: the environment's own

  bool operator==(const BanditSettings&) const = default;
};

struct PolicySettings {
  std::string kind = "linear-gaussian";  // as `retropg list` names it
  std::vector<double> variance{0.3};     // sigma^2, one number or one per action
  // What is drawn: "actions", or "parameters" once per trajectory; unset: what the algorithm's name says, else actions.
  std::optional<std::string> exploration;
  bool bias = false;          // a constant feature 1 after the observation
  std::vector<double> shift;  // feature = (observation - shift) * scale; empty: as observed
  std::vector<double> scale;
  std::vector<Index> hidden{32, 32};  // "mlp-gaussian" only, as the next three: sizes of the hidden layers
  std::string activation = "tanh";    // of the hidden layers
  std::vector<double> action_shift;   // mean = action_shift + action_scale * output; empty: the output itself
  std::vector<double> action_scale;
  std::string evidence = "auto";  // what is kept of a batch: "moments", "steps" or the cheaper

  bool operator==(const PolicySettings&) const = default;
};

struct AlgorithmSettings {
  std::string name = "rpg";               // as `retropg list` names it
  Index batch = 10;                       // N, fresh trajectories per iteration
  Index window = 8;                       // omega, batches reused, the fresh one included; kFullReuse: all
  std::string coefficients = "adaptive";  // the rule for lambda and alpha
  double constant = kPaperConstant;       // c in lambda = sqrt(c / (N omega d))
  std::string divergence = "product";     // how d is estimated
  double order = 2.0;                     // of the Renyi divergence
  double divergence_bound = 1.0;          // D, in place of d where the rule does not estimate it
  double confidence = 0.2;                // delta
  double gradient_bound = 0.0;            // G, "theorem-dependent" only, as the next two
  double hessian_bound = 0.0;             // G2
  double score_bound = 0.0;               // L1
  std::vector<double> lambda;             // "explicit" only: by age, the fresh batch first
  std::vector<double> alpha;              // "explicit" only: by age, the fresh batch first
  std::string baseline = "none";          // taken off the credit of every step
  std::optional<Index> snapshot;          // N of the recursive methods' snapshots; unset: 5.5 batches
  std::optional<Index> mini_batch;        // B between them; unset: half a batch
  Index epoch = 10;                       // m: updates from one snapshot to the next (svrpg, srvrpg)
  double refresh = 0.1;                   // p: the chance of a snapshot (page-pg, def-pg)
  double forgetting = 0.9;                // storm-pg: a, the share of the old estimate that is forgotten
  std::string weights = "decision";       // of the recursive methods: one per decision, or one per trajectory
  bool two_adam = false;                  // svrpg: an Adam for snapshots and another one between them
  bool early_stop = false;                // svrpg: ends an epoch when its steps are worth less than a snapshot's
  double current_share = 0.5;             // def-pg: share of the current policy in the mixture
  std::string mixture = "stratified";     // def-pg: shares as near as can be, or drawn

  bool operator==(const AlgorithmSettings&) const = default;
};

/// Of the baselines that remember.
struct BaselineSettings {
  double rate = 0.05;  // of the running mean
  double ridge = 0.1;  // of the fitted value, in mean squares of its features

  bool operator==(const BaselineSettings&) const = default;
};

struct RnpgSettings {
  double damping = 1.0;     // in mean diagonal entries of the Fisher matrix
  double kl_limit = 0.01;   // of a step taken by itself; 0: none
  double projection = 0.0;  // radius of the ball of parameters; 0: none

  bool operator==(const RnpgSettings&) const = default;
};

struct BpoSettings {
  double defensive = 0.3;    // share of the batch drawn from the current policy
  bool reuse = false;        // earlier batches enter the gradient, too; algo.window caps them
  double spread_low = 0.25;  // the behavior's deviation stays within these, in deviations of the policy
  double spread_high = 4.0;
  Index fit_steps = 1000;  // networks: of Adam on the cross-entropy, as the next four
  double fit_rate = 1e-4;
  double fit_decay = 10.0;      // weight decay
  double fit_divergence = 1.0;  // the most nats per trajectory from the current policy; 0: no limit
  double fit_tolerance = 1e-3;  // ends the fit when the gradient's norm is below

  bool operator==(const BpoSettings&) const = default;
};

struct PoisSettings {
  double delta = 0.99;           // of the bound: 1 is no penalty
  std::string bound = "max-d2";  // what the penalty is made of
  std::optional<Index> offline;  // the most steps on the bound per iteration; unset: 10, with parameters drawn 100
  std::optional<bool> centered;  // returns less their mean; unset: true, with parameters drawn false
  std::optional<bool> self_normalized;  // weights divided by their sum; unset: false, with parameters drawn true
  std::optional<bool> natural;          // direction F^{-1} g; unset: false, with parameters drawn true

  bool operator==(const PoisSettings&) const = default;
};

/// Of parameter-based exploration: theta ~ N(mu, diag sigma^2), a deterministic policy.
struct HyperpolicySettings {
  std::vector<double> variance{0.3};  // sigma^2 at the start, one number or one per parameter
  bool learn_deviation = false;       // log sigma is learned, too

  bool operator==(const HyperpolicySettings&) const = default;
};

struct OptimizerSettings {
  std::string kind = "adam";  // "adam" or "constant"
  double rate = 0.01;         // eta
  double beta1 = 0.9;         // Adam only, as the next two
  double beta2 = 0.999;
  double epsilon = 1e-8;

  bool operator==(const OptimizerSettings&) const = default;
};

struct TrainSettings {
  std::optional<Index> iterations;  // K; unset: 1000, or what the budget allows if there is one
  Index budget = 0;                 // collected trajectories after which training ends; 0: no limit
  std::uint64_t seed = 1;           // below 2^63, so that TOML can hold it
  Index threads = 0;                // 0: all cores
  Index lanes = 32;                 // trajectories simulated side by side; results do not depend on it
  std::string output = "best";      // the iterate a run returns: "best", "last" or "random"

  bool operator==(const TrainSettings&) const = default;
};

/// All that decides a run. A plain value: it may be filled in by hand (then see `check_configuration`) or read from
/// TOML.
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
  HyperpolicySettings hyperpolicy;

  bool operator==(const Configuration&) const = default;
};

// Every function below throws `Error` with one line, and then has changed nothing. Ranges and names of choices are
// checked; whether an environment, a policy or an algorithm of that name exists is left to those who make them.

/// What to do with keys that have another name today: a run folder made before must still evaluate.
enum class OldKeys { kRefuse, kAccept };

/// The defaults with the text's keys on top; `name` stands for the file in errors.
Configuration parse_configuration(std::string_view text, const std::string& name);

/// Puts the keys of a text on top of the configuration.
void apply_text(Configuration& configuration, std::string_view text, const std::string& name,
                OldKeys old_keys = OldKeys::kRefuse);

/// `algo.window=4`: a key and a TOML value; a word that is no TOML value is a string. Errors begin: --set
/// algo.window=4:
void apply_setting(Configuration& configuration, std::string_view assignment);

/// Checks what code has filled in as if it came from a file.
void check_configuration(const Configuration& configuration);

/// Every key in its section, unset ones as comments; `parse_configuration` gives back an equal configuration.
std::string to_toml(const Configuration& configuration);

/// docs/configuration.md.
std::string configuration_reference();

/// The names of all keys ("algo.window"), in the order of the reference.
std::vector<std::string> configuration_keys();

}  // namespace retropg
