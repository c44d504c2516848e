#pragma once

#include <span>
#include <string>
#include <string_view>

#include "retropg/configuration/registry.hpp"

namespace retropg {

/// What decides whether a key has an effect: the environment, the policy, the algorithm, or its baseline.
enum class Reader { kEnvironment, kPolicy, kAlgorithm, kBaseline };
Reader reader_of(std::string_view key);

/// Why a key has no effect, and which keys have: "gpomdp does not read algo.window with these settings (read in [algo]:
/// batch, baseline)".
std::string unread_key_message(const Configuration& configuration, std::string_view key);

/// The part in parentheses, for several configurations; for a key that any could read, what it takes.
std::string keys_read_instead(std::span<const Configuration> configurations, std::string_view key);

}  // namespace retropg
