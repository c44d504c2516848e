#include "retropg/storage/trained_policy.hpp"

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/storage/configuration_file.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 80;    // from the file, in a message
constexpr std::size_t kLongestReason = 300;  // the same with what is said about it

/// The policy file that holds the iterate a run returns.
const char* output_file(const std::string& output) {
  return output == "last" ? "final.safetensors" : output == "random" ? "random.safetensors" : "best.safetensors";
}

/// Checks that the policy fits the configuration's environment, and makes it the configuration's.
TrainedPolicy fitted(TrainedPolicy trained, bool is_run) {
  try {
    require(!is_run || exploration_of(trained.configuration) == trained.saved.exploration,
            "was trained with exploration in " + name_of(trained.saved.exploration) + ", but the run's " +
                trained.configuration.algo.name + " explores in " + name_of(exploration_of(trained.configuration)));
    take_policy(trained.configuration, trained.saved);
    const EnvironmentDefinition environment = make_environment(trained.configuration);
    require(environment.observation_size == trained.saved.observation_size &&
                environment.action_size == trained.saved.action_size,
            "has " + std::to_string(trained.saved.observation_size) + " observations and " +
                std::to_string(trained.saved.action_size) + " actions; " + environment.id + " has " +
                std::to_string(environment.observation_size) + " and " + std::to_string(environment.action_size));
  } catch (const Error& error) {
    throw Error(trained.file.string() + ": " + one_line(error.what(), kLongestReason));
  }
  return trained;
}

}  // namespace

TrainedPolicy load_policy_of_run(const Configuration& run, const std::filesystem::path& file) {
  TrainedPolicy trained;
  trained.file = file;
  trained.configuration = run;
  trained.saved = load_policy(file);
  require(run.env.id == trained.saved.environment, file.string() + ": was trained on " +
                                                       one_line(trained.saved.environment, kLongestQuote) +
                                                       ", but the run is on " + run.env.id);
  return fitted(std::move(trained), true);
}

TrainedPolicy load_trained_policy(const std::filesystem::path& path) {
  std::error_code ignored;  // a path that cannot be read counts as missing
  require(std::filesystem::exists(path, ignored), path.string() + ": does not exist");
  if (std::filesystem::is_directory(path, ignored)) {
    require(std::filesystem::exists(path / "config.toml", ignored),
            path.string() + ": is not a run folder (no config.toml)");
    const Configuration run = load_run_configuration(path / "config.toml");
    return load_policy_of_run(run, path / "policy" / output_file(run.train.output));
  }
  TrainedPolicy trained;
  trained.file = path;
  trained.saved = load_policy(path);
  trained.configuration.env.id = trained.saved.environment;
  return fitted(std::move(trained), false);
}

std::vector<double> evaluate(const TrainedPolicy& trained, const EvaluationOptions& options) {
  const EnvironmentDefinition environment = make_environment(trained.configuration);
  return evaluate(environment, *make_policy(trained.configuration, environment), trained.saved.parameters, options);
}

}  // namespace retropg
