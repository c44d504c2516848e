#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/numerics.hpp"
#include "support/random_policy.hpp"

namespace retropg::test {
namespace {

// docs/environments.md has the numbers of the same measurement with 20,000 episodes and seed 1.
constexpr Index kEpisodes = 1000;
constexpr std::uint64_t kSeed = 2;

/// The bounds of actions that are not [-1, 1].
double action_limit(const std::string& id) {
  const std::map<std::string, double> others = {{"CartPoleContinuous-v0", 10.0}, {"InvertedPendulum-v4", 3.0}};
  const auto found = others.find(id);
  return found == others.end() ? 1.0 : found->second;
}

TEST(ReferenceReturns, OfTheRandomPolicyAreWhatItGets) {
  for (const EnvironmentEntry& entry : environments()) {
    if (entry.description.starts_with("not in this build")) continue;
    Configuration configuration;
    configuration.env.id = entry.name;
    const EnvironmentDefinition environment = make_environment(configuration);
    const std::optional<ReferenceReturns> references = reference_returns(environment);
    if (!references) continue;
    const std::vector<double> returns = random_returns(environment, action_limit(entry.name), kEpisodes, kSeed);
    const double error = standard_deviation(returns) / std::sqrt(static_cast<double>(kEpisodes));
    // 8 environments at 4.5 standard errors: one seed in 18,000 fails by chance.
    EXPECT_NEAR(mean(returns), references->random, 4.5 * error)
        << entry.name << ": mean " << mean(returns) << ", standard error " << error;
  }
}

}  // namespace
}  // namespace retropg::test
