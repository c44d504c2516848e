#include "retropg/training/evaluate.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/training/registry.hpp"

namespace retropg {
namespace {

constexpr Index kSlice = 1024;  // episodes whose steps are held at a time

/// The policy file of a run that holds the iterate the run was told to hand out.
const char* output_file(const std::string& output) {
  return output == "last" ? "final.safetensors" : output == "random" ? "random.safetensors" : "best.safetensors";
}

}  // namespace

EvaluationSubject load_subject(const std::filesystem::path& path) {
  std::error_code ignored;  // what cannot be looked at is not there
  require(std::filesystem::exists(path, ignored), path.string() + ": does not exist");
  EvaluationSubject subject;
  subject.file = path;
  const bool is_run = std::filesystem::is_directory(path, ignored);
  if (is_run) {
    require(std::filesystem::exists(path / "config.toml", ignored),
            path.string() + ": is not a run folder (no config.toml)");
    subject.configuration = load_configuration(path / "config.toml");
    subject.file = path / "policy" / output_file(subject.configuration.train.output);
  }
  subject.saved = load_policy(subject.file);
  require(!is_run || subject.configuration.env.id == subject.saved.environment,
          subject.file.string() + ": was trained on " + subject.saved.environment + ", but the run is on " +
              subject.configuration.env.id);
  subject.configuration.env.id = subject.saved.environment;
  const std::string evidence = subject.configuration.policy.evidence;
  subject.configuration.policy = subject.saved.settings;
  subject.configuration.policy.evidence = evidence;

  try {
    const EnvironmentDefinition environment = make_environment(subject.configuration);
    require(environment.observation_size == subject.saved.observation_size &&
                environment.action_size == subject.saved.action_size,
            "has " + std::to_string(subject.saved.observation_size) + " observations and " +
                std::to_string(subject.saved.action_size) + " actions; " + environment.id + " has " +
                std::to_string(environment.observation_size) + " and " + std::to_string(environment.action_size));
  } catch (const Error& error) {
    throw Error(subject.file.string() + ": " + error.what());
  }
  return subject;
}

std::vector<double> evaluate(const EvaluationSubject& subject, const EvaluationOptions& options) {
  const EnvironmentDefinition environment = make_environment(subject.configuration);
  const auto policy = make_policy(subject.configuration, environment);
  const Workers workers(options.threads);
  Collector collector(environment, *policy, {.seed = options.seed, .deterministic = options.deterministic}, workers);
  // Episode by episode the same whatever the slices: trajectories are named.
  std::vector<double> returns;
  for (Index first = 0; first < options.episodes; first += kSlice) {
    const Index count = std::min(kSlice, options.episodes - first);
    const Collected collected = collector.collect(subject.saved.parameters, 0, first, count);
    returns.insert(returns.end(), collected.returns.begin(), collected.returns.end());
  }
  return returns;
}

}  // namespace retropg
