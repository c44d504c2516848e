#include "retropg/experiment/given_setting.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "retropg/configuration/unread_key.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/experiment/item_list.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 80;

bool sets(const ArmUse& arm, const std::string& key) {
  return std::ranges::any_of(arm.plan.settings, [&](const std::string& setting) { return key_of(setting) == key; });
}

bool reads(const ArmUse& arm, const std::string& key) {
  return std::ranges::any_of(arm.configurations,
                             [&](const Configuration& configuration) { return has_effect(configuration, key); });
}

void require_own_effect(const ArmUse& arm) {
  for (const std::string& setting : arm.plan.settings) {
    const std::string key = key_of(setting);
    require(reads(arm, key), fmt::format("arm '{}': {}", one_line(arm.plan.label, kLongestQuote),
                                         unread_key_message(arm.configurations.front(), key)));
  }
}

std::vector<Configuration> configurations_of(std::span<const ArmUse> arms) {
  std::vector<Configuration> all;
  for (const ArmUse& arm : arms) all.insert(all.end(), arm.configurations.begin(), arm.configurations.end());
  return all;
}

}  // namespace

void require_effect(std::span<const GivenSetting> given, const Configuration& configuration) {
  for (const GivenSetting& setting : given) {
    if (has_effect(configuration, setting.key)) continue;
    throw Error(setting.text + ": " + unread_key_message(configuration, setting.key));
  }
}

std::vector<ArmUse> arm_uses(const ReadySweep& ready) {
  std::vector<ArmUse> uses;
  for (std::size_t i = 0; i < ready.settings.size(); ++i) {
    uses.push_back({.plan = ready.report.plan.arms[i], .configurations = {}});
    for (const Arm& setting : ready.settings[i]) uses[i].configurations.push_back(setting.configuration);
  }
  return uses;
}

void require_effect(std::span<const GivenSetting> given, std::span<const ArmUse> arms) {
  for (const ArmUse& arm : arms) require_own_effect(arm);
  for (const GivenSetting& setting : given) {
    const std::string& key = setting.key;
    if (std::ranges::any_of(arms, [&](const ArmUse& arm) { return reads(arm, key) && !sets(arm, key); })) continue;
    throw Error(
        std::ranges::any_of(arms, [&](const ArmUse& arm) { return reads(arm, key); })
            ? fmt::format("{}: every algorithm that reads {} sets it itself or tries several values", setting.text, key)
            : fmt::format("{}: no algorithm of this comparison reads {} {}", setting.text, key,
                          keys_read_instead(configurations_of(arms), key)));
  }
}

}  // namespace retropg
