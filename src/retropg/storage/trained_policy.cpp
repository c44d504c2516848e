#include "retropg/storage/trained_policy.hpp"

#include <algorithm>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 80;    // from the file, in a message
constexpr std::size_t kLongestReason = 300;  // the same with what is said about it

constexpr std::string_view kEnding = ".safetensors";

/// The policies that a run folder has, by name.
std::vector<std::string> policies_in(const Place& run) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(run / "policy")) {
    if (name.ends_with(kEnding)) names.push_back(name.substr(0, name.size() - kEnding.size()));
  }
  return names;
}

Place policy_file(const Place& run, const std::string& name) {
  return run / "policy" / (name + std::string(kEnding));
}

/// How a run stands that lacks the policy it returns, and what to do about it.
std::string standing(const Place& run) {
  if (FolderLock::taken(run)) return "the run is under way and writes it at its end";
  const Place status = run / "status";
  if (is_there(status) && read_file(status) == "running\n") {
    return "the run was killed; `retropg resume " + run.string() + "` finishes it and writes that policy";
  }
  return "`retropg doctor " + run.string() + "` says what can be recovered";
}

/// The file of the policy that a run returns.
Place returned_policy(const Place& run, const std::string& output) {
  const Place file = policy_file(run, output == "last" ? "final" : output);
  if (is_there(file)) return file;
  std::string there;
  for (const std::string& name : policies_in(run)) there += (there.empty() ? "--policy " : " or --policy ") + name;
  throw Error(file.string() + ": is missing; " + standing(run) + "; " +
              (there.empty() ? "there is no other policy" : there + " evaluates one that is there"));
}

std::string unknown_policy(const Place& run, const std::string& choice, const std::vector<std::string>& names) {
  if (names.empty()) return run.string() + " has no policy, and '" + choice + "' is no file";
  if (same_name(choice, "last") && std::ranges::find(names, "final") != names.end()) {  // its name as an output
    return "unknown policy or file '" + choice + "'; did you mean 'final'?";
  }
  return unknown_name_message("policy or file", choice, names);
}

/// The file of a policy of the run, or any other.
Place chosen_policy(const Place& run, const std::string& choice) {
  const std::vector<std::string> names = policies_in(run);
  const auto found = std::ranges::find_if(names, [&](const std::string& name) { return same_name(name, choice); });
  if (found != names.end()) return policy_file(run, *found);
  require(is_plain_file(choice), "--policy: " + unknown_policy(run, choice, names));
  return choice;
}

/// Checks that the policy fits the configuration's environment, and makes it the configuration's.
TrainedPolicy fitted(TrainedPolicy trained, bool is_run) {
  try {
    require(!is_run || exploration_of(trained.configuration) == trained.saved.exploration,
            "was trained with exploration in " + name_of(trained.saved.exploration) + ", but the run's " +
                trained.configuration.algo.name + " explores in " + name_of(exploration_of(trained.configuration)));
    take_policy(trained.configuration, trained.saved);
    const std::string& id = trained.configuration.env.id;
    if (is_handed_over(id)) return trained;  // compared when it is simulated
    const EnvironmentDefinition environment = make_environment(trained.configuration);
    require(environment.observation_size == trained.saved.observation_size &&
                environment.action_size == trained.saved.action_size,
            "has " + std::to_string(trained.saved.observation_size) + " observations and " +
                std::to_string(trained.saved.action_size) + " actions; " + environment.id + " has " +
                std::to_string(environment.observation_size) + " and " + std::to_string(environment.action_size));
    require(environment.action_count == trained.saved.action_count,
            "has " + std::to_string(trained.saved.action_count) + " discrete actions; " + environment.id + " has " +
                std::to_string(environment.action_count));
  } catch (const Error& error) {
    throw Error(trained.file.string() + ": " + one_line(error.what(), kLongestReason));
  }
  return trained;
}

}  // namespace

TrainedPolicy load_policy_of_run(const Configuration& run, const Place& file) {
  TrainedPolicy trained;
  trained.file = file.path();
  trained.configuration = run;
  trained.saved = load_policy(file);
  require(run.env.id == trained.saved.environment, file.string() + ": was trained on " +
                                                       one_line(trained.saved.environment, kLongestQuote) +
                                                       ", but the run is on " + run.env.id);
  return fitted(std::move(trained), true);
}

TrainedPolicy load_trained_policy(const Place& path, const std::optional<std::string>& choice) {
  require(path.status().has_value(),
          path.string() + ": does not exist");  // a path that cannot be read counts as missing
  if (is_folder(path)) {
    require(is_there(path / "config.toml"), path.string() + ": is not a run folder (no config.toml)");
    const Configuration run = load_run_configuration(path / "config.toml");
    return load_policy_of_run(run, choice ? chosen_policy(path, *choice) : returned_policy(path, run.train.output));
  }
  require(!choice, "--policy is one of a run folder's; " + path.string() + " is a file: leave it out");
  TrainedPolicy trained;
  trained.file = path.path();
  trained.saved = load_policy(path);
  require(trained.saved.environment != kNoEnvironment,
          path.string() + ": was not trained by a run, so it has no environment to be evaluated in");
  take_environment(trained.configuration, trained.saved);
  return fitted(std::move(trained), false);
}

std::vector<double> evaluate(const TrainedPolicy& trained, const EvaluationOptions& options) {
  const EnvironmentDefinition environment = make_environment(trained.configuration);
  return evaluate(environment, *make_policy(trained.configuration, environment), trained.saved.parameters, options);
}

}  // namespace retropg
