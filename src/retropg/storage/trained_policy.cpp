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

}  // namespace

TrainedPolicy load_trained_policy(const std::filesystem::path& path) {
  std::error_code ignored;  // a path that cannot be read counts as missing
  require(std::filesystem::exists(path, ignored), path.string() + ": does not exist");
  TrainedPolicy trained;
  trained.file = path;
  const bool is_run = std::filesystem::is_directory(path, ignored);
  if (is_run) {
    require(std::filesystem::exists(path / "config.toml", ignored),
            path.string() + ": is not a run folder (no config.toml)");
    trained.configuration = load_run_configuration(path / "config.toml");
    trained.file = path / "policy" / output_file(trained.configuration.train.output);
  }
  trained.saved = load_policy(trained.file);
  require(!is_run || trained.configuration.env.id == trained.saved.environment,
          trained.file.string() + ": was trained on " + one_line(trained.saved.environment, kLongestQuote) +
              ", but the run is on " + trained.configuration.env.id);
  trained.configuration.env.id = trained.saved.environment;

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

std::vector<double> evaluate(const TrainedPolicy& trained, const EvaluationOptions& options) {
  const EnvironmentDefinition environment = make_environment(trained.configuration);
  return evaluate(environment, *make_policy(trained.configuration, environment), trained.saved.parameters, options);
}

}  // namespace retropg
