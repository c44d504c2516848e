#include <gtest/gtest.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/storage/trained_policy.hpp"
#include "support/bits.hpp"
#include "support/files.hpp"
#include "support/many_threads.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

TEST(EvaluateThreads, DoNotChangeABit) {
  const ManyThreads many;
  const TemporaryFolder folder;
  const Configuration configuration = configured({"policy.kind=mlp-gaussian", "policy.hidden=[8]"});
  const EnvironmentDefinition environment = make_environment(configuration);
  save_policy(folder / "p.safetensors",
              saved_policy(configuration, environment, make_policy(configuration, environment)->initial_parameters(1)));
  const TrainedPolicy trained = load_trained_policy(folder / "p.safetensors");
  for (const bool deterministic : {false, true}) {
    const auto expected = bits(evaluate(trained, {.episodes = 50, .threads = 1, .deterministic = deterministic}));
    for (const Index threads : {2, 3}) {
      EXPECT_EQ(bits(evaluate(trained, {.episodes = 50, .threads = threads, .deterministic = deterministic})),
                expected);
    }
  }
}

}  // namespace
}  // namespace retropg::test
