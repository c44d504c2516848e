#include "retropg/configuration/configuration.hpp"

#include <fmt/format.h>

#include "retropg/configuration/configuration_schema.hpp"

namespace retropg {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

Everything that determines a run is a key of its configuration. Later sources override earlier ones:

1. the defaults below,
2. the preset for the environment and the algorithm (`retropg list --presets` shows them all), which `--preset none`
   leaves out and `--preset paper` replaces by the paper's settings; a file leaves it out too, unless `--preset own`
   asks for it,
3. the file given with `--config`,
4. flags such as `--batch`,
5. `--set key=value`.

A file is [TOML](https://toml.io) and holds only what differs from the defaults:

```toml
[env]
id = "CartPoleContinuous-v0"

[algo]
name = "rpg"
batch = 10
window = 8

[optimizer]
rate = 0.01
```

    retropg train --config run.toml --set algo.window=4 --set train.seed=7

The value of `--set` is written as in the file, but a word needs no quotes: `--set algo.window=all`. An unknown key, a
value of the wrong type or out of range, a NaN or an infinity is an error that names the file and the line. So is a flag
or `--set` of a key that the chosen environment, policy, algorithm or baseline does not read; a file may have such keys.
`retropg list KEY` explains a key and says who reads it. The folder of a run stores all keys with their final values in
`config.toml`, which is itself such a file.

This page is generated from the program's table of keys (`configuration_reference()`), and a test compares the two.
)";

}  // namespace

std::string to_toml(const Configuration& configuration) {
  check_configuration(configuration);
  std::string text;
  for (const SettingSection& section : configuration_schema()) {
    text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section.name);
    for (const SettingKey& key : section.keys) {
      const std::string value = key.get(configuration).text;
      const std::string_view name = section.short_name(key);
      text += value.empty() ? fmt::format("# {}: {}\n", name, key.unset) : fmt::format("{} = {}\n", name, value);
    }
  }
  return text;
}

std::string configuration_reference() {
  std::string text(kIntroduction);
  const Configuration defaults;
  for (const SettingSection& section : configuration_schema()) {
    text += fmt::format("\n## {}\n\n{}\n\n| key | value | default | meaning |\n|---|---|---|---|\n", section.name,
                        section.meaning);
    for (const SettingKey& key : section.keys) {
      const std::string value = key.get(defaults).text;
      text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, key.type,
                          value.empty() ? key.unset : fmt::format("`{}`", value), key.meaning);
    }
  }
  return text;
}

std::vector<std::string> differing_keys(const Configuration& a, const Configuration& b) {
  std::vector<std::string> names;
  for (const SettingSection& section : configuration_schema()) {
    for (const SettingKey& key : section.keys) {
      if (key.get(a).text != key.get(b).text) names.push_back(key.name);
    }
  }
  return names;
}

std::string setting_text(const Configuration& configuration, std::string_view name) {
  for (const SettingSection& section : configuration_schema()) {
    for (const SettingKey& key : section.keys) {
      if (key.name != name) continue;
      const std::string value = key.get(configuration).text;
      return value.empty() ? key.unset : value;
    }
  }
  return "";
}

std::vector<std::string> configuration_keys() {
  std::vector<std::string> names;
  for (const SettingSection& section : configuration_schema()) {
    for (const SettingKey& key : section.keys) names.push_back(key.name);
  }
  return names;
}

}  // namespace retropg
