#include "retropg/training/evaluate.hpp"

#include "retropg/core/error.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/training/registry.hpp"

namespace retropg {

EvaluationSubject load_subject(const std::filesystem::path& path) {
  require(std::filesystem::exists(path), path.string() + ": does not exist");
  EvaluationSubject subject;
  subject.file = path;
  const bool is_run = std::filesystem::is_directory(path);
  if (is_run) {
    require(std::filesystem::exists(path / "config.toml"), path.string() + ": is not a run folder (no config.toml)");
    subject.configuration = load_configuration(path / "config.toml");
    subject.file = path / "policy" / "best.safetensors";
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
  return collector.collect(subject.saved.parameters, 0, 0, options.episodes).returns;
}

}  // namespace retropg
