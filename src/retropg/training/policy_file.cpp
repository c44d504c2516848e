#include "retropg/training/policy_file.hpp"

#include <charconv>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/training/safetensors.hpp"

namespace retropg {
namespace {

constexpr const char* kFormat = "retropg-policy-1";

}  // namespace

void save_policy(const std::filesystem::path& path, const PolicySettings& settings,
                 const EnvironmentDefinition& environment, Parameters theta) {
  Tensors tensors;
  tensors.metadata = {{"format", kFormat},
                      {"kind", settings.kind},
                      {"environment", environment.id},
                      {"observation_size", std::to_string(environment.observation_size)},
                      {"action_size", std::to_string(environment.action_size)},
                      {"bias", settings.bias ? "true" : "false"}};
  tensors.values = {{"parameters", {theta.begin(), theta.end()}},
                    {"variance", settings.variance},
                    {"shift", settings.shift},
                    {"scale", settings.scale}};
  write_safetensors(path, tensors);
}

SavedPolicy load_policy(const std::filesystem::path& path) {
  const Tensors tensors = read_safetensors(path);
  const auto text = [&](const std::string& key) {
    const auto found = tensors.metadata.find(key);
    require(found != tensors.metadata.end(), path.string() + ": is not a policy file (no '" + key + "')");
    return found->second;
  };
  const auto count = [&](const std::string& key) {
    const std::string value = text(key);
    Index number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    require(error == std::errc() && end == value.data() + value.size() && number >= 1,
            path.string() + ": '" + key + "' should be a positive whole number, not '" + value + "'");
    return number;
  };
  const auto numbers = [&](const std::string& key) {
    const auto found = tensors.values.find(key);
    require(found != tensors.values.end(), path.string() + ": has no tensor '" + key + "'");
    require(all_finite(found->second), path.string() + ": tensor '" + key + "' holds a number that is not finite");
    return found->second;
  };
  require(text("format") == kFormat,
          path.string() + ": format '" + text("format") + "' is not known; expected '" + kFormat + "'");
  SavedPolicy policy;
  policy.environment = text("environment");
  policy.settings.kind = text("kind");
  policy.settings.bias = text("bias") == "true";
  policy.settings.variance = numbers("variance");
  policy.settings.shift = numbers("shift");
  policy.settings.scale = numbers("scale");
  policy.observation_size = count("observation_size");
  policy.action_size = count("action_size");
  policy.parameters = numbers("parameters");
  return policy;
}

}  // namespace retropg
