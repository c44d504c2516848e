#include "retropg/configuration/configuration_schema.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "retropg/configuration/setting_type.hpp"

namespace retropg {
namespace {

constexpr Index kMany = 10'000'000;

constexpr NumberCondition kAnything = [](double) { return true; };
constexpr NumberCondition kPositive = [](double x) { return x > 0.0; };
constexpr NumberCondition kNotNegative = [](double x) { return x >= 0.0; };
constexpr NumberCondition kVariance = [](double x) { return x >= kSmallestVariance && x <= kLargestVariance; };
constexpr NumberCondition kCost = [](double x) { return std::abs(x) <= 1e100; };
constexpr NumberCondition kFraction = [](double x) { return x >= 0.0 && x <= 1.0; };
constexpr NumberCondition kFractionBelowOne = [](double x) { return x >= 0.0 && x < 1.0; };

// At least one number; a single one may be written without brackets.
SettingType<std::vector<double>> variances() {
  SettingType<std::vector<double>> type =
      list_type("a number from 1e-50 to 1e50 or a list of such numbers", kVariance, "");
  type.read = [read = type.read](const SettingValue& value, std::vector<double>& field) {
    const std::optional<double> one = finite_number(value);
    if (one) return read({.data = std::vector{*one}, .text = {}}, field);
    std::vector<double> given;
    if (!read(value, given) || given.empty()) return false;
    field = std::move(given);
    return true;
  };
  type.write = [](const auto& field) {
    return field.size() == 1 ? SettingValue{field[0], toml_number(field[0])} : SettingValue{field, toml_list(field)};
  };
  return type;
}

SettingType<std::vector<Index>> layer_sizes() {
  return {.text = "a list of whole numbers from 1 to 65536",
          .read =
              [](const SettingValue& value, std::vector<Index>& field) {
                const auto* given = std::get_if<std::vector<double>>(&value.data);
                const auto is_size = [](double x) { return x >= 1.0 && x <= 65536.0 && x == std::floor(x); };
                if (given == nullptr || !std::ranges::all_of(*given, is_size)) return false;
                field.assign(given->begin(), given->end());
                return true;
              },
          .write =
              [](const std::vector<Index>& field) {
                std::string text;
                for (const Index size : field) text += (text.empty() ? "" : ", ") + std::to_string(size);
                return SettingValue{std::vector<double>(field.begin(), field.end()), "[" + text + "]"};
              }};
}

SettingType<std::vector<double>> mixture() {
  SettingType<std::vector<double>> type =
      list_type("a list of numbers >= 0 with at least one > 0", kNotNegative, "none");
  type.read = [read = type.read](const SettingValue& value, std::vector<double>& field) {
    std::vector<double> given;
    if (!read(value, given) || (!given.empty() && std::ranges::none_of(given, kPositive))) return false;
    field = std::move(given);
    return true;
  };
  return type;
}

bool is_word(const SettingValue& value, std::string_view word) {
  const auto* given = std::get_if<std::string>(&value.data);
  return given != nullptr && *given == word;
}

/// A whole number from `low` on, or a word that stands for `meaning`.
SettingType<Index> count_or(const std::string& word, Index meaning, Index low) {
  const SettingType<Index> count = whole_type(low, kMany);
  return {.text = count.text + " or " + toml_string(word),
          .read =
              [=](const SettingValue& value, Index& field) {
                if (!is_word(value, word)) return count.read(value, field);
                field = meaning;
                return true;
              },
          .write =
              [=](const Index& field) {
                return field == meaning ? SettingValue{word, toml_string(word)} : count.write(field);
              },
          .choices = {word}};
}

SettingType<Index> window() {
  return count_or("all", kFullReuse, 1);
}

SettingType<double> lambda_constant() {
  SettingType<double> type = number_type("a number > 0, \"paper\" (1) or \"magicrl\" (4 ln 5 / 3)", kPositive);
  type.read = [read = type.read](const SettingValue& value, double& field) {
    const bool paper = is_word(value, "paper");
    if (!paper && !is_word(value, "magicrl")) return read(value, field);
    field = paper ? kPaperConstant : kMagicRlConstant;
    return true;
  };
  type.choices = {"paper", "magicrl"};
  return type;
}

// Adds keys to a section; a key is tied to its field only by the pointers to members.
template <class Settings>
class Keys {
 public:
  Keys(std::vector<SettingSection>& sections, std::string name, Settings Configuration::*settings, std::string meaning)
      : section_(
            sections.emplace_back(SettingSection{.name = std::move(name), .meaning = std::move(meaning), .keys = {}})),
        settings_(settings) {}

  template <class T>
  Keys& add(const std::string& name, T Settings::*field, const SettingType<T>& type, std::string meaning) {
    section_.keys.push_back(
        {.name = section_.name + "." + name,
         .type = type.text,
         .meaning = std::move(meaning),
         .unset = type.unset,
         .choices = type.choices,
         .get = [settings = settings_, field, write = type.write](
                    const Configuration& configuration) { return write(configuration.*settings.*field); },
         .set = [settings = settings_, field, read = type.read](
                    Configuration& configuration,
                    const SettingValue& value) { return read(value, configuration.*settings.*field); }});
    return *this;
  }

 private:
  SettingSection& section_;
  Settings Configuration::*settings_;
};

std::vector<SettingSection> make_schema() {
  const std::string own = "the environment's default";
  const auto any = number_type("a number", kAnything);
  const auto any_list = list_type("a list of numbers", kAnything, own);
  const auto costs = list_type("a list of numbers from -1e100 to 1e100", kCost, own);

  std::vector<SettingSection> sections;
  sections.reserve(12);  // `Keys` holds a reference to the section it fills
  Keys(sections, "env", &Configuration::env, "The task.")
      .add("id", &EnvironmentSettings::id, name_type(), "The environment; `retropg list` shows them.")
      .add("horizon", &EnvironmentSettings::horizon, optional_type(whole_type(1, kMany), own),
           "T: the largest number of steps per trajectory.")
      .add("discount", &EnvironmentSettings::discount,
           optional_type(number_type("a number from 0 to 1", kFraction), own), "gamma: the discount factor per step.")
      .add("clip", &EnvironmentSettings::clip, flag_type(),
           "Whether actions are clipped to their ranges before the environment sees them: costs of actions are then "
           "those of the clipped ones.");
  Keys(sections, "lqr", &Configuration::lqr,
       "Only for the linear-quadratic environment: s' = A s + B a + noise, reward -(s'Qs + a'Ra). Matrices are "
       "row-major.")
      .add("dynamics", &LqrSettings::dynamics, any_list, "A: effect of the state on the next state.")
      .add("input", &LqrSettings::input, any_list, "B: effect of the action on the next state.")
      .add("state_cost", &LqrSettings::state_cost, costs, "Q: cost of the state.")
      .add("action_cost", &LqrSettings::action_cost, costs, "R: cost of the action.")
      .add("process_noise", &LqrSettings::process_noise, optional_type(number_type("a number >= 0", kNotNegative), own),
           "Standard deviation of the noise added to each coordinate at each step.")
      .add("start_range", &LqrSettings::start_range, optional_type(number_type("a number >= 0", kNotNegative), own),
           "Each coordinate of the first state is uniform from minus this to plus this.");
  Keys(sections, "bandit", &Configuration::bandit, "Only for the one-step Gaussian bandit.")
      .add("target", &BanditSettings::target, optional_type(any, own), "The action with the highest reward.")
      .add("width", &BanditSettings::width, optional_type(number_type("a number > 0", kPositive), own),
           "Width of the reward's peak around the target.");
  Keys(sections, "policy", &Configuration::policy, "What is trained.")
      .add("kind", &PolicySettings::kind,
           optional_type(name_type(), "linear-gaussian, or softmax-linear where actions are discrete"),
           "The family of policies; `retropg list` shows them.")
      .add("variance", &PolicySettings::variance, variances(),
           "Variance sigma^2 of the actions, at the start if it is learned: one number for all action dimensions, or "
           "one per dimension. Not read with policy.width.")
      .add("learn_deviation", &PolicySettings::learn_deviation, flag_type(),
           "Gaussian policies that draw actions: whether log sigma of each action, the same in all states, is also "
           "learned.")
      .add("exploration", &PolicySettings::exploration,
           optional_type(choice_type({"actions", "parameters"}), "as the algorithm requires, else actions"),
           "What is drawn: every action, or the parameters of a deterministic policy once per trajectory.")
      .add("bias", &PolicySettings::bias, flag_type(), "Whether a constant feature 1 follows the observation.")
      .add("shift", &PolicySettings::shift, list_type("a list of numbers", kAnything, "as observed"),
           "Subtracted from the observation, one number per dimension. Needs policy.scale.")
      .add("scale", &PolicySettings::scale, list_type("a list of numbers", kAnything, "as observed"),
           "Multiplies the shifted observation, one number per dimension; an observation with 0 is left out. Needs "
           "policy.shift.")
      .add("scaling", &PolicySettings::scaling, choice_type({"none", "pilot"}),
           "Where no scale is given: none, or 1 / root mean square of each observation in a pilot, a first trajectory "
           "with random actions, uniform in their ranges, which counts against the budget. A network's outputs are "
           "then scaled to the ranges.")
      .add("width", &PolicySettings::width, optional_type(number_type("a number > 0", kPositive), "the variances"),
           "The first standard deviation of an action in units of half its range (of 1 without a range, and for "
           "logits), in place of the variances. Exploration in parameters: if every input has a root mean square of 1.")
      .add("hidden", &PolicySettings::hidden, layer_sizes(),
           "Networks: sizes of the hidden layers; `[]` is a linear mean, or linear logits.")
      .add("activation", &PolicySettings::activation, choice_type({"tanh", "relu", "identity"}),
           "Networks: activation of the hidden layers.")
      .add("action_shift", &PolicySettings::action_shift,
           list_type("a list of numbers", kAnything, "the output itself"),
           "Gaussian networks: added to the scaled output, one number per action.")
      .add("action_scale", &PolicySettings::action_scale,
           list_type("a list of numbers", kAnything, "the output itself"),
           "Gaussian networks: multiplies the output, one number per action.")
      .add("evidence", &PolicySettings::evidence, choice_type({"auto", "moments", "steps"}),
           "What is stored of a batch for reuse; auto picks the cheaper one.");
  Keys(sections, "algo", &Configuration::algo, "How the gradient is estimated.")
      .add("name", &AlgorithmSettings::name, name_type(), "The algorithm; `retropg list` shows them.")
      .add("batch", &AlgorithmSettings::batch, whole_type(1, kMany), "N: fresh trajectories per iteration.")
      .add("window", &AlgorithmSettings::window, window(),
           "omega: batches that enter an estimate, including the fresh one.")
      .add("coefficients", &AlgorithmSettings::coefficients,
           choice_type({"adaptive", "fixed", "bound-optimal", "theorem-independent", "theorem-dependent", "explicit"}),
           "The rule for lambda (correction of the weights) and alpha (share of each batch).")
      .add("constant", &AlgorithmSettings::constant, lambda_constant(),
           "c of the adaptive rule lambda = sqrt(c / (N omega d)), and of the bound-optimal one.")
      .add("divergence", &AlgorithmSettings::divergence, choice_type({"product", "sample"}),
           "How the divergence d of a past policy is estimated: from closed forms per step, or from the weights.")
      .add("order", &AlgorithmSettings::order,
           number_type("a number > 1 and <= 100", [](double x) { return x > 1.0 && x <= 100.0; }),
           "Order of the Renyi divergence.")
      .add("divergence_bound", &AlgorithmSettings::divergence_bound, number_type("a number > 0", kPositive),
           "D of the rules that do not estimate the divergence.")
      .add("confidence", &AlgorithmSettings::confidence,
           number_type("a number between 0 and 1 (exclusive)", [](double x) { return x > 0.0 && x < 1.0; }),
           "delta of the theorem-independent rule: the probability that the bound fails.")
      .add("gradient_bound", &AlgorithmSettings::gradient_bound, number_type("a number >= 0", kNotNegative),
           "G of the theorem-dependent rule: bounds the gradient of one trajectory.")
      .add("hessian_bound", &AlgorithmSettings::hessian_bound, number_type("a number >= 0", kNotNegative),
           "G2 of the theorem-dependent rule: bounds how fast that gradient changes.")
      .add("score_bound", &AlgorithmSettings::score_bound, number_type("a number >= 0", kNotNegative),
           "L1 of the theorem-dependent rule: bounds the score of one step.")
      .add("lambda", &AlgorithmSettings::lambda, list_type("a list of numbers from 0 to 1", kFraction, "none"),
           "Explicit rule only: lambda by age, starting with the fresh batch.")
      .add("alpha", &AlgorithmSettings::alpha, mixture(),
           "Explicit rule only: alpha by age, starting with the fresh batch.")
      .add("baseline", &AlgorithmSettings::baseline,
           choice_type({"none", "mean", "leave-one-out", "peters", "running-mean", "value", "value-fresh"}),
           "Subtracted from the credit of every step; computed once per batch and then fixed; `value-fresh` is biased.")
      .add("snapshot", &AlgorithmSettings::snapshot, optional_type(whole_type(1, kMany), "5.5 batches"),
           "Recursive methods: trajectories per snapshot (storm-pg: in the first iteration, by default one batch).")
      .add("mini_batch", &AlgorithmSettings::mini_batch, optional_type(whole_type(1, kMany), "half a batch"),
           "Recursive methods: trajectories per iteration between snapshots (storm-pg: by default one batch).")
      .add("epoch", &AlgorithmSettings::epoch, whole_type(1, kMany),
           "svrpg, srvrpg: updates from one snapshot to the next, including the snapshot's own.")
      .add("refresh", &AlgorithmSettings::refresh, number_type("a number from 0 to 1", kFraction),
           "page-pg, def-pg: the probability that an iteration takes a snapshot.")
      .add("forgetting", &AlgorithmSettings::forgetting, number_type("a number from 0 to 1", kFraction),
           "storm-pg: a, the share of the old estimate that is forgotten; 1 forgets everything, 0 nothing.")
      .add("weights", &AlgorithmSettings::weights, choice_type({"decision", "trajectory"}),
           "Recursive methods: importance weights cover the trajectory up to each decision, or the whole trajectory.")
      .add("two_adam", &AlgorithmSettings::two_adam, flag_type(),
           "svrpg: one Adam for snapshots and another, with half the rate, for the updates between them.")
      .add("early_stop", &AlgorithmSettings::early_stop, flag_type(),
           "svrpg: takes a snapshot early when a mini-batch update moves less per trajectory than a snapshot's.")
      .add("current_share", &AlgorithmSettings::current_share,
           number_type("a number > 0 and <= 1", [](double x) { return x > 0.0 && x <= 1.0; }),
           "def-pg: share of the current policy in the sampled mixture.")
      .add("mixture", &AlgorithmSettings::mixture, choice_type({"stratified", "random"}),
           "def-pg: the share is met as closely as whole trajectories allow, or each trajectory's policy is drawn at "
           "random.");
  Keys(sections, "optimizer", &Configuration::optimizer, "How a gradient moves the parameters.")
      .add("kind", &OptimizerSettings::kind, choice_type({"adam", "constant"}),
           "Adam, or plain steps with a constant rate.")
      .add("rate", &OptimizerSettings::rate,
           number_type("a number from 0 to 1e100", [](double x) { return x >= 0.0 && x <= 1e100; }),
           "eta: the step size.")
      .add("beta1", &OptimizerSettings::beta1, number_type("a number >= 0 and < 1", kFractionBelowOne),
           "Adam: decay rate of the gradient's running mean.")
      .add("beta2", &OptimizerSettings::beta2, number_type("a number >= 0 and < 1", kFractionBelowOne),
           "Adam: decay rate of the squared gradient's running mean.")
      .add("epsilon", &OptimizerSettings::epsilon, number_type("a number > 0", kPositive),
           "Adam: added to the root of the mean square.")
      .add("trust", &OptimizerSettings::trust, number_type("a number >= 0", kNotNegative),
           "The largest Kullback-Leibler divergence of an update, in nats per trajectory of the fresh batch: longer "
           "steps are shortened to it; 0 is no limit. Not for exploration in parameters, nor for methods while "
           "they take steps of their own: `pois`, `rnpg` with `optimizer.kind = \"constant\"`, `svrpg` with "
           "`algo.two_adam`.");
  Keys(sections, "train", &Configuration::train, "Length, seed and resources of a run.")
      .add("iterations", &TrainSettings::iterations,
           optional_type(whole_type(1, 1'000'000'000), "1000, or as many as the budget or the steps allow"),
           "K: the largest number of updates.")
      .add("budget", &TrainSettings::budget, whole_type(0, 1'000'000'000'000'000),
           "Number of collected trajectories after which training ends; 0 is no limit.")
      .add("steps", &TrainSettings::steps, whole_type(0, 1'000'000'000'000'000),
           "Training ends after the first iteration by whose end this many steps have been collected; as lengths of "
           "trajectories are not known in advance, it may end with more; 0 is no limit.")
      .add("seed", &TrainSettings::seed, whole_type<std::uint64_t>(0, std::numeric_limits<std::int64_t>::max()),
           "Random seed; fixes every random number of the run.")
      .add("threads", &TrainSettings::threads, whole_type(0, 1024),
           "Number of threads, 0 for all cores that the process may use; results do not depend on it.")
      .add("lanes", &TrainSettings::lanes, whole_type(kChunk, 1024, kChunk),
           "Trajectories simulated side by side; results do not depend on it.")
      .add("output", &TrainSettings::output, choice_type({"estimate", "best", "last", "random"}),
           "What a run returns: the last iterate, unless by the run's own estimates an earlier one is better by more "
           "than their error (`nes`: the centroid of its best draws, its elite, or its last mean); the one with the "
           "best batch mean; the last; or one "
           "drawn at random.")
      .add("broken", &TrainSettings::broken, choice_type({"stop", "drop"}),
           "What a broken trajectory leads to, one with an observation, action or reward that is not finite or above "
           "1e100 in absolute value: the run stops, or the trajectory is dropped and counted. If all of "
           "several trajectories of one policy are broken, the run stops in any case.")
      .add("eval_every", &TrainSettings::eval_every, whole_type(0, 1'000'000'000),
           "Iterations from one evaluation to the next, and one at the end: the policy that would be returned "
           "acts with its mean in episodes of its own, which do not count and do not change the run "
           "(`evaluations.csv`); 0 is none.")
      .add("eval_episodes", &TrainSettings::eval_episodes, whole_type(2, kMany), "Episodes per evaluation.")
      .add("confirm", &TrainSettings::confirm, count_or("auto", kAutomatic, 0),
           "Episodes of the returned policy at the end, acting with its mean, which measure its return; they are part "
           "of the budget; 0 is none. \"auto\": a twentieth of a budget of more than 100, else none.")
      .add("until_solved", &TrainSettings::until_solved, flag_type(),
           "Only for `nes`, where returns have a largest value: the run ends once five draws have reached it and so "
           "have five trajectories of the policy that would be returned; they are part of the budget.");
  Keys(sections, "baseline", &Configuration::baseline, "Baselines that use earlier batches.")
      .add("rate", &BaselineSettings::rate,
           number_type("a number > 0 and <= 1", [](double x) { return x > 0.0 && x <= 1.0; }),
           "running-mean: weight of the newest batch.")
      .add("ridge", &BaselineSettings::ridge, number_type("a number > 0", kPositive),
           "value, value-fresh: penalty of the regression, relative to the mean squares of its features.");
  Keys(sections, "rnpg", &Configuration::rnpg, "Only for rnpg.")
      .add("damping", &RnpgSettings::damping, number_type("a number >= 0", kNotNegative),
           "Added to the diagonal of the Fisher matrix, relative to its mean diagonal entry.")
      .add("kl_limit", &RnpgSettings::kl_limit, number_type("a number >= 0", kNotNegative),
           "With `optimizer.kind = \"constant\"`: the largest mean divergence per decision of a step; 0 is no limit.")
      .add("projection", &RnpgSettings::projection, number_type("a number >= 0", kNotNegative),
           "With `optimizer.kind = \"constant\"`: parameters are kept in a ball of this radius; 0 is no limit.");
  Keys(sections, "bpo", &Configuration::bpo, "Only for bpo.")
      .add("defensive", &BpoSettings::defensive, number_type("a number from 0 to 1", kFraction),
           "Share of the batch drawn from the current policy, at least one trajectory.")
      .add("reuse", &BpoSettings::reuse, flag_type(),
           "Whether the batches of the last `algo.window` iterations enter the gradient.")
      .add("spread_low", &BpoSettings::spread_low, number_type("a number > 0", kPositive),
           "Smallest standard deviation of the behavior's actions, in units of the policy's.")
      .add("spread_high", &BpoSettings::spread_high, number_type("a number > 0", kPositive),
           "Largest standard deviation of the behavior's actions, in units of the policy's.")
      .add("fit_steps", &BpoSettings::fit_steps, whole_type(0, kMany),
           "Networks: the largest number of Adam steps of the fit.")
      .add("fit_rate", &BpoSettings::fit_rate, number_type("a number >= 0", kNotNegative),
           "Networks: learning rate of the fit.")
      .add("fit_decay", &BpoSettings::fit_decay, number_type("a number >= 0", kNotNegative),
           "Networks: weight decay of the fit.")
      .add("fit_divergence", &BpoSettings::fit_divergence, number_type("a number >= 0", kNotNegative),
           "Networks: the fit ends at this divergence from the current policy, in nats per trajectory; 0 is no limit.")
      .add("fit_tolerance", &BpoSettings::fit_tolerance, number_type("a number >= 0", kNotNegative),
           "Networks: the fit ends when the norm of its gradient is below this.");
  Keys(sections, "pois", &Configuration::pois, "Only for pois and p-pois.")
      .add("delta", &PoisSettings::delta,
           number_type("a number > 0 and <= 1", [](double x) { return x > 0.0 && x <= 1.0; }),
           "delta of the bound; the penalty is proportional to sqrt((1 - delta) / delta).")
      .add("bound", &PoisSettings::bound, choice_type({"max-d2", "std-d2", "max-ess", "std-ess"}),
           "The penalty's scale, the largest or the standard deviation of the returns, and its sample size, N / d2 or "
           "the effective one.")
      .add("offline", &PoisSettings::offline,
           optional_type(whole_type(1, kMany), "10, or 100 with exploration in parameters"),
           "The largest number of ascent steps on the bound per iteration.")
      .add("centered", &PoisSettings::centered,
           optional_type(flag_type(), "true, or false with exploration in parameters"),
           "Whether the batch's mean is subtracted from the returns.")
      .add("self_normalized", &PoisSettings::self_normalized,
           optional_type(flag_type(), "false, with exploration in parameters true"),
           "Whether weights are divided by their sum instead of N.")
      .add("natural", &PoisSettings::natural, optional_type(flag_type(), "false, with exploration in parameters true"),
           "Whether the direction is the natural gradient of the bound.");
  Keys(sections, "nes", &Configuration::nes, "Only for nes.")
      .add("weights", &NesSettings::weights, choice_type({"balance", "power-mean"}),
           "How reused draws are weighted: by the balance heuristic, or by the power mean of rpg.")
      .add("gain", &NesSettings::gain, number_type("a number > 0", kPositive),
           "eta: multiplies the step of the means; above 1 it goes beyond the mean of the selected draws.")
      .add("mean_damping", &NesSettings::mean_damping, number_type("a number >= 0", kNotNegative),
           "c_mu: the step of the means is eta n / (n + c_mu P) times the natural gradient, n selected draws, P "
           "parameters.")
      .add("deviation_damping", &NesSettings::deviation_damping, number_type("a number >= 0", kNotNegative),
           "c_sigma: the same for the step of the deviations.")
      .add("deviation_limit", &NesSettings::deviation_limit, number_type("a number >= 0", kNotNegative),
           "The largest change of a log sigma per iteration; 0 is no limit.")
      .add(
          "leaps_from", &NesSettings::leaps_from, whole_type(0, kMany),
          "From this number of parameters on, the mean leaps to draws that are good twice, and its step shrinks by the "
          "noise in it; 0 is never.")
      .add(
          "recombine_from", &NesSettings::recombine_from, whole_type(0, kMany),
          "From this number of parameters on, the mean leaps and, once leaps are rare, takes full steps to the mean of "
          "larger batches; 0 is never.");
  Keys(sections, "hyperpolicy", &Configuration::hyperpolicy,
       "Only for parameter-based exploration: the parameters of a deterministic policy are drawn once per trajectory.")
      .add("variance", &HyperpolicySettings::variance, variances(),
           "Initial variance sigma^2 of the parameters: one number for all, or one per parameter. Not read with "
           "policy.width.")
      .add("learn_deviation", &HyperpolicySettings::learn_deviation, flag_type(),
           "Whether log sigma is also learned; nes always learns it.");
  Keys(sections, "checkpoint", &Configuration::checkpoint,
       "When `train` saves the state of the run, besides its beginning, its end and a signal. These and the next "
       "section do not change results.")
      .add("every", &CheckpointSettings::every, whole_type(0, 1'000'000'000),
           "Iterations from one checkpoint to the next; 0 is none by number.")
      .add("seconds", &CheckpointSettings::seconds, number_type("a number >= 0", kNotNegative),
           "Seconds from one checkpoint to the next, or 100 times what writing one takes if that is more; 0 is none by "
           "time.");
  Keys(sections, "log", &Configuration::log, "What `train` writes about its iterations.")
      .add("metrics", &LogSettings::metrics, whole_type(0, 1'000'000'000),
           "Iterations per line of `metrics.jsonl`; 0 is no such file.")
      .add("tensorboard", &LogSettings::tensorboard, flag_type(),
           "Whether there are event files for TensorBoard, `events.out.tfevents.*`.")
      .add("monitor", &LogSettings::monitor, flag_type(),
           "Whether there are the files of Stable-Baselines3: `monitor.csv` and, with `train.eval_every`, "
           "`evaluations.npz`.");
  return sections;
}

}  // namespace

const std::vector<SettingSection>& configuration_schema() {
  static const std::vector<SettingSection> schema = make_schema();
  return schema;
}

}  // namespace retropg
