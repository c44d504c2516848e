#include "retropg/storage/policy_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/safetensors.hpp"

namespace retropg {
namespace {

constexpr const char* kFormat = "retropg-policy-1";
constexpr const char* kEnvironmentSettings = "environment_settings";
constexpr std::size_t kLongestQuote = 80;    // from the file, in a message
constexpr std::size_t kLongestReason = 300;  // the same with what is said about it

/// Checks the file by building the policy it describes.
void check_whole(const std::string& name, const SavedPolicy& saved) {
  try {
    const Index expected = make_policy(saved)->parameter_count();
    require(as_index(saved.parameters.size()) == expected,
            "tensor 'parameters' has " + std::to_string(saved.parameters.size()) + " numbers; the architecture needs " +
                std::to_string(expected));
  } catch (const Error& error) {
    throw Error(name + ": " + one_line(error.what(), kLongestReason));
  }
}

/// The settings of the environment as TOML, one line per key. The horizon and the discount are there even where they
/// are the defaults, which another version may change.
std::string environment_settings(const SavedPolicy& policy) {
  Configuration configuration;
  take_environment(configuration, policy);
  configuration.env.id = Configuration().env.id;
  std::string text;
  for (const std::string& key : differing_keys(configuration, Configuration())) {
    text += key + " = " + setting_text(configuration, key) + "\n";
  }
  return text;
}

void read_environment_settings(const std::string& text, SavedPolicy& policy) {
  Configuration configuration;
  apply_text(configuration, text, kEnvironmentSettings);
  policy.horizon = configuration.env.horizon;
  policy.discount = configuration.env.discount;
  policy.clip = configuration.env.clip;
  policy.lqr = configuration.lqr;
  policy.bandit = configuration.bandit;
  Configuration expected;
  take_environment(expected, policy);
  expected.env.id = Configuration().env.id;
  for (const std::string& key : differing_keys(configuration, expected)) {
    throw Error(std::string(kEnvironmentSettings) + ": " + key + " is no setting of an environment");
  }
}

/// The ranges of actions as a file has them, checked.
std::vector<ActionRange> ranges_of(const std::vector<double>& low, const std::vector<double>& high, Index action_size,
                                   const std::string& name) {
  const std::size_t size = as_size(action_size);
  require(low.size() == size && high.size() == size,
          name + ": tensors 'action_low' and 'action_high' should have one number per action");
  std::vector<ActionRange> ranges;
  for (std::size_t u = 0; u < size; ++u) {
    require(low[u] < high[u], name + ": tensor 'action_low' should be below 'action_high'");
    ranges.push_back({.low = low[u], .high = high[u]});
  }
  return ranges;
}

std::string quoted(const std::string& text) {
  return "'" + one_line(text, kLongestQuote) + "'";
}

}  // namespace

void save_policy(const Place& path, const SavedPolicy& policy) {
  PolicySettings settings = policy.settings;
  if (!settings.kind) settings.kind = default_policy(policy.action_count > 0);
  Tensors tensors;
  tensors.metadata = {{"format", kFormat},
                      {"kind", *settings.kind},
                      {"exploration", name_of(policy.exploration)},
                      {"environment", policy.environment},
                      {kEnvironmentSettings, environment_settings(policy)},
                      {"observation_size", std::to_string(policy.observation_size)},
                      {"action_size", std::to_string(policy.action_size)},
                      {"bias", settings.bias ? "true" : "false"},
                      {"activation", settings.activation}};
  std::vector<double> hidden(settings.hidden.begin(), settings.hidden.end());
  tensors.values = {{"parameters", policy.parameters},
                    {"hidden", settings.has_layers() ? hidden : std::vector<double>()},
                    {"action_shift", settings.action_shift},
                    {"action_scale", settings.action_scale},
                    {"variance", settings.variance},
                    {"shift", settings.shift},
                    {"scale", settings.scale}};
  for (const ActionRange& range : policy.action_ranges) {
    tensors.values["action_low"].push_back(range.low);
    tensors.values["action_high"].push_back(range.high);
  }
  if (policy.environment == kNoEnvironment) tensors.metadata["evidence"] = settings.evidence;
  if (policy.action_count > 0) tensors.metadata["action_count"] = std::to_string(policy.action_count);
  if (settings.learn_deviation) tensors.metadata["learn_deviation"] = "true";
  if (policy.exploration == Exploration::kParameters) {
    tensors.metadata["learn_deviation"] = policy.hyperpolicy.learn_deviation ? "true" : "false";
    tensors.values["hyperpolicy_variance"] = policy.hyperpolicy.variance;
  }
  write_safetensors(path, tensors);
}

SavedPolicy saved_policy(const Configuration& configuration, const EnvironmentDefinition& environment,
                         Parameters theta) {
  const auto set = [&](const char* key, auto settings) {
    return reads(configuration, key) ? settings : decltype(settings){};
  };
  return {.environment = environment.id,
          .horizon = environment.horizon,
          .discount = environment.discount,
          .clip = configuration.env.clip,
          .lqr = set("lqr.dynamics", configuration.lqr),
          .bandit = set("bandit.target", configuration.bandit),
          .settings = canonical(configuration).policy,
          .exploration = exploration_of(configuration),
          .hyperpolicy = configuration.hyperpolicy,
          .observation_size = environment.observation_size,
          .action_size = environment.action_size,
          .action_count = environment.action_count,
          .action_ranges = environment.action_ranges,
          .parameters = {theta.begin(), theta.end()}};
}

void take_environment(Configuration& configuration, const SavedPolicy& saved) {
  configuration.env = {
      .id = saved.environment, .horizon = saved.horizon, .discount = saved.discount, .clip = saved.clip};
  configuration.lqr = saved.lqr;
  configuration.bandit = saved.bandit;
}

void take_policy(Configuration& configuration, const SavedPolicy& saved) {
  const std::string evidence = configuration.policy.evidence;
  configuration.policy = saved.settings;
  configuration.policy.evidence = evidence;
  configuration.policy.exploration = name_of(saved.exploration);
  if (saved.exploration == Exploration::kParameters) configuration.hyperpolicy = saved.hyperpolicy;
}

std::unique_ptr<Policy> make_policy(const SavedPolicy& saved) {
  Configuration configuration;
  take_policy(configuration, saved);
  configuration.policy.evidence = saved.settings.evidence;
  check_configuration(configuration);
  return make_policy(configuration, {.id = saved.environment,
                                     .observation_size = saved.observation_size,
                                     .action_size = saved.action_size,
                                     .horizon = 1,
                                     .action_count = saved.action_count});
}

SavedPolicy load_policy(const Place& path) {
  return parse_policy(read_file(path), path.string());
}

SavedPolicy parse_policy(std::string_view bytes, const std::string& name) {
  const Tensors tensors = parse_safetensors(bytes, name);
  const auto text = [&](const std::string& key) {
    const auto found = tensors.metadata.find(key);
    require(found != tensors.metadata.end(), name + ": is not a policy file (no '" + key + "')");
    return found->second;
  };
  const auto count = [&](const std::string& key) {
    const std::string value = text(key);
    Index number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    require(error == std::errc() && end == value.data() + value.size() && number >= 1,
            name + ": '" + key + "' should be a positive whole number, not " + quoted(value));
    return number;
  };
  const auto flag = [&](const std::string& key) {
    const std::string value = text(key);
    require(value == "true" || value == "false",
            name + ": '" + key + "' should be true or false, not " + quoted(value));
    return value == "true";
  };
  const auto numbers = [&](const std::string& key) {
    const auto found = tensors.values.find(key);
    require(found != tensors.values.end(), name + ": has no tensor '" + key + "'");
    require(all_finite(found->second), name + ": tensor '" + key + "' holds a number that is not finite");
    return found->second;
  };
  require(text("format") == kFormat,
          name + ": unknown format " + quoted(text("format")) + "; expected '" + kFormat + "'");
  SavedPolicy policy;
  policy.environment = text("environment");
  if (tensors.metadata.contains(kEnvironmentSettings)) {
    try {
      read_environment_settings(text(kEnvironmentSettings), policy);
    } catch (const Error& error) {
      throw Error(name + ": " + one_line(error.what(), kLongestReason));
    }
  }
  policy.settings.kind = text("kind");
  policy.settings.bias = flag("bias");
  policy.settings.activation = text("activation");
  if (tensors.metadata.contains("evidence")) policy.settings.evidence = text("evidence");
  const std::vector<double> hidden = numbers("hidden");
  require(std::ranges::all_of(hidden,
                              [](double size) { return size >= 1.0 && size <= 65536.0 && size == std::floor(size); }),
          name + ": tensor 'hidden' should hold whole numbers from 1 to 65536");
  policy.settings.hidden.assign(hidden.begin(), hidden.end());
  policy.settings.action_shift = numbers("action_shift");
  policy.settings.action_scale = numbers("action_scale");
  policy.settings.variance = numbers("variance");
  policy.settings.shift = numbers("shift");
  policy.settings.scale = numbers("scale");
  policy.observation_size = count("observation_size");
  policy.action_size = count("action_size");
  if (tensors.metadata.contains("action_count")) policy.action_count = count("action_count");
  if (tensors.values.contains("action_low") || tensors.values.contains("action_high")) {
    policy.action_ranges = ranges_of(numbers("action_low"), numbers("action_high"), policy.action_size, name);
  }
  policy.parameters = numbers("parameters");
  if (tensors.metadata.contains("exploration")) {  // files of earlier versions have it only for parameters
    const std::string exploration = text("exploration");
    require(exploration == name_of(Exploration::kActions) || exploration == name_of(Exploration::kParameters),
            name + ": 'exploration' should be actions or parameters, not " + quoted(exploration));
    if (exploration == name_of(Exploration::kParameters)) {
      policy.exploration = Exploration::kParameters;
      policy.hyperpolicy = {.variance = numbers("hyperpolicy_variance"), .learn_deviation = flag("learn_deviation")};
    }
  }
  if (policy.exploration == Exploration::kActions && tensors.metadata.contains("learn_deviation")) {
    policy.settings.learn_deviation = flag("learn_deviation");
  }
  check_whole(name, policy);
  return policy;
}

}  // namespace retropg
