#include "retropg/storage/restored_policy.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/policy/sampler.hpp"
#include "retropg/policy/softmax.hpp"
#include "retropg/storage/trained_policy.hpp"
#include "support/bits.hpp"
#include "support/coin_policy.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

struct Named {
  std::string name;
  std::shared_ptr<const Policy> policy;
};

void PrintTo(const Named& named, std::ostream* out) {
  *out << named.name;
}

/// Every kind with every option that has an effect, and the bare ones.
std::vector<Named> policies_as_made_by_hand() {
  const std::vector<double> shift{0.1, -0.2, 0.3}, scale{0.7, 2.0, 1.1};
  const LinearGaussianOptions bare{.observation_size = 3, .action_size = 2, .variance = {0.3}};
  const LinearGaussianOptions linear{.observation_size = 3,
                                     .action_size = 2,
                                     .variance = {0.3, 0.7},
                                     .bias = true,
                                     .shift = shift,
                                     .scale = {0.7, 0.0, 1.1},
                                     .evidence = EvidenceKind::kSteps};
  const MlpGaussianOptions network{.observation_size = 3,
                                   .action_size = 2,
                                   .hidden = {5, 4},
                                   .activation = Activation::kRelu,
                                   .bias = true,
                                   .variance = {0.3, 0.7},
                                   .shift = shift,
                                   .scale = scale,
                                   .action_shift = {0.5, -0.5},
                                   .action_scale = {2.0, 3.0}};
  const MlpGaussianOptions bare_network{.observation_size = 3, .action_size = 2, .hidden = {4}};
  const SoftmaxOptions softmax{
      .observation_size = 3, .action_count = 4, .bias = true, .shift = shift, .scale = {0.7, 0.0, 1.1}};
  const SoftmaxOptions bare_softmax{.observation_size = 3, .action_count = 2};
  std::vector<Named> result{{"Linear", linear_gaussian(bare)},
                            {"LinearWithEverything", linear_gaussian(linear)},
                            {"Network", mlp_gaussian(bare_network)},
                            {"NetworkWithEverything", mlp_gaussian(network)},
                            {"Softmax", softmax_linear(bare_softmax)},
                            {"SoftmaxWithEverything", softmax_linear(softmax)},
                            {"SoftmaxNetwork", softmax_mlp(softmax, {5}, Activation::kIdentity)}};
  const std::vector<Named> inner = result;
  for (const auto& [name, policy] : inner) {
    result.push_back({"Drawn" + name, hyperpolicy(policy, {.variance = {0.2}})});
    std::vector<double> variance(as_size(policy->parameter_count()), 0.1);
    variance.front() = 0.3;
    result.push_back({"Learned" + name, hyperpolicy(policy, {.variance = variance, .learn_deviation = true})});
  }
  return result;
}

/// The actions of three trajectories of five steps, sampled and as means.
std::vector<double> actions(const Policy& policy, Parameters theta) {
  std::vector<double> result;
  for (std::uint32_t trajectory = 0; trajectory < 3; ++trajectory) {
    Sampler sampler = policy.sample(theta, RandomStream({.seed = 3, .trajectory = trajectory}));
    for (std::uint64_t step = 0; step < 5; ++step) {
      const std::vector<double> observation = random_numbers(3, 1.0, 10 * trajectory + step);
      const std::span<const double> action = sampler.act(observation);
      result.insert(result.end(), action.begin(), action.end());
      std::vector<double> mean(as_size(policy.action_size()));
      policy.mean(theta, observation, mean);
      result.insert(result.end(), mean.begin(), mean.end());
    }
  }
  return result;
}

class SavedAsItIs : public testing::TestWithParam<Named> {};

TEST_P(SavedAsItIs, APolicyActsTheSameWhenItIsRestored) {
  const TemporaryFolder folder;
  const Policy& policy = *GetParam().policy;
  const std::vector<double> theta =
      sum_of(policy.initial_parameters(1), random_numbers(policy.parameter_count(), 0.5, 2));
  save_policy(folder / "p", policy, theta);
  const RestoredPolicy restored = restore_policy(folder / "p");
  EXPECT_EQ(bits(restored.parameters), bits(theta));
  EXPECT_EQ(bits(restored.policy->initial_parameters(7)), bits(policy.initial_parameters(7)));
  EXPECT_EQ(bits(actions(*restored.policy, theta)), bits(actions(policy, theta)));
  for (const Capability capability : {Capability::kSteps, Capability::kFisher, Capability::kDrawnParameters}) {
    EXPECT_EQ(restored.policy->provides(capability), policy.provides(capability));
  }
  save_policy(folder / "q", *restored.policy, restored.parameters);
  EXPECT_EQ(read_file(folder / "q"), read_file(folder / "p")) << "nothing is lost";
}

INSTANTIATE_TEST_SUITE_P(Policies, SavedAsItIs, testing::ValuesIn(policies_as_made_by_hand()),
                         [](const auto& instance) { return instance.param.name; });

TEST(RestoredPolicy, IsAlsoMadeFromTheFileOfARun) {
  const TemporaryFolder folder;
  const std::vector<double> theta{0.1, 0.2, 0.3, 0.4};
  save_policy(folder / "p", saved_policy({}, cart_pole(), theta));
  const RestoredPolicy restored = restore_policy(folder / "p");
  EXPECT_EQ(bits(restored.parameters), bits(theta));
  EXPECT_EQ(restored.policy->observation_size(), 4);
  std::vector<double> mean(1);
  restored.policy->mean(theta, std::vector{1.0, 0.0, 0.0, 1.0}, mean);
  EXPECT_DOUBLE_EQ(mean[0], 0.5);
}

TEST(RestoredPolicy, WithoutAnEnvironmentCannotBeEvaluated) {
  const TemporaryFolder folder;
  save_policy(folder / "p", *linear_gaussian({.observation_size = 4, .action_size = 1}), std::vector<double>(4, 0.1));
  EXPECT_EQ(load_policy(folder / "p").environment, kNoEnvironment);
  expect_throw([&] { load_trained_policy(folder / "p"); },
               (folder / "p").string() + ": was not trained by a run, so it has no environment to be evaluated in");
}

TEST(RestoredPolicy, RefusesWhatItCannotMakeAgain) {
  const TemporaryFolder folder;
  const CoinPolicy unknown(2);
  expect_throw([&] { save_policy(folder / "p", unknown, unknown.initial_parameters(1)); },
               "this policy does not say how to make it again (Policy::description), so it cannot be saved");
  const auto wrapped = hyperpolicy(std::make_shared<CoinPolicy>(2), {});
  expect_throw([&] { save_policy(folder / "p", *wrapped, wrapped->initial_parameters(1)); }, "cannot be saved");
  const auto linear = linear_gaussian({.observation_size = 2, .action_size = 1});
  expect_throw([&] { save_policy(folder / "p", *linear, std::vector{1.0}); }, "the policy has 2 parameters, not 1");
  expect_throw(
      [&] {
        save_policy(folder / "p", *linear, std::vector{1.0, std::numeric_limits<double>::quiet_NaN()});
      },
      "a parameter is not finite");
  EXPECT_FALSE(std::filesystem::exists(folder / "p"));
}

}  // namespace
}  // namespace retropg::test
