// What PyTorch's autograd says of small networks, recorded by tests/record/record_torch.py.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/evidence_answers.hpp"
#include "support/files.hpp"
#include "support/random_batch.hpp"
#include "support/source_folder.hpp"

namespace retropg::test {
namespace {

constexpr const char* kCases[] = {"half_cheetah", "half_cheetah_return", "relu_bias", "tanh_bias",
                                  "identity",     "no_hidden_layer"};
constexpr const char* kLearned[] = {"learned_deviation", "learned_deviation_linear"};
const std::filesystem::path kFolder = test::source_folder() / "tests" / "golden" / "torch";

/// One recorded case: fields by name.
class Case {
 public:
  explicit Case(const std::filesystem::path& path) {
    for (const std::string& line : lines(read_file(path))) {
      const std::size_t blank = line.find(' ');
      if (!line.starts_with('#')) fields_[line.substr(0, blank)] = blank == line.npos ? "" : line.substr(blank + 1);
    }
  }

  const std::string& text(const std::string& key) const { return fields_.at(key); }

  std::vector<double> numbers(const std::string& key) const {
    std::istringstream words(text(key));
    std::vector<double> result;
    for (std::string word; words >> word;) result.push_back(std::stod(word));
    return result;
  }

  std::vector<Index> counts(const std::string& key) const {
    const std::vector<double> values = numbers(key);
    return {values.begin(), values.end()};
  }

  MlpGaussianOptions options() const {
    const std::vector<Index> sizes = counts("sizes");
    const std::map<std::string, Activation> activations{
        {"tanh", Activation::kTanh}, {"relu", Activation::kRelu}, {"identity", Activation::kIdentity}};
    return {.observation_size = sizes.front(),
            .action_size = sizes.back(),
            .hidden = {sizes.begin() + 1, sizes.end() - 1},
            .activation = activations.at(text("activation")),
            .bias = text("bias") == "1",
            .variance = numbers("variance"),
            .shift = numbers("shift"),
            .scale = numbers("scale"),
            .action_shift = numbers("action_shift"),
            .action_scale = numbers("action_scale")};
  }

  TrajectoryBatch batch() const {
    const std::vector<Index> sizes = counts("sizes");
    TrajectoryBatch batch{.observation_size = sizes.front(),
                          .action_size = sizes.back(),
                          .observations = numbers("observations"),
                          .actions = numbers("actions"),
                          .rewards = numbers("rewards")};
    for (const Index length : counts("lengths")) batch.first_step.push_back(batch.first_step.back() + length);
    return batch;
  }

 private:
  std::map<std::string, std::string> fields_;
};

double largest(const std::vector<double>& numbers) {
  double result = 0.0;
  for (const double number : numbers) result = std::max(result, std::abs(number));
  return result;
}

void expect_gradient(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  EXPECT_GT(largest(expected), 0.1);
  double error = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // An entry is a sum of terms of both signs: one that came out a thousand times smaller than the largest has lost
    // as many digits, on both sides.
    EXPECT_NEAR(got[i], expected[i], 1e-10 * std::max(std::abs(expected[i]), 1e-3 * largest(expected))) << i;
    error += (got[i] - expected[i]) * (got[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  EXPECT_LT(std::sqrt(error / norm), 1e-13) << "relative, in Euclidean norm";
}

class MlpAgainstTorch : public testing::TestWithParam<const char*> {};

TEST_P(MlpAgainstTorch, LogRatiosRenyiDivergencesAndGradientAgree) {
  const Case recorded(kFolder / (std::string(GetParam()) + ".txt"));
  const TrajectoryBatch batch = recorded.batch();
  ASSERT_NO_THROW(check(batch, batch.observation_size, batch.action_size, 1000));
  const auto policy = mlp_gaussian(recorded.options());
  const std::vector<double> target = recorded.numbers("target"), behavior = recorded.numbers("behavior");
  ASSERT_EQ(policy->parameter_count(), as_index(target.size()));
  const auto evidence = policy->digest(behavior, batch, std::stod(recorded.text("discount")),
                                       recorded.text("credit") == "return" ? Credit::kReturn : Credit::kRewardToGo);
  const std::vector<double> weights = recorded.numbers("weights");
  const Answers answers = ask(*evidence, target, weights);

  const std::vector<double> log_ratio = recorded.numbers("log_ratio"), distance = recorded.numbers("distance");
  ASSERT_EQ(as_index(log_ratio.size()), batch.size());
  ASSERT_EQ(as_index(distance.size()), batch.size());
  for (std::size_t j = 0; j < log_ratio.size(); ++j) {
    EXPECT_NEAR(answers.log_ratio[j], log_ratio[j], 1e-10 * std::abs(log_ratio[j])) << "trajectory " << j;
    EXPECT_NEAR(answers.renyi[j], distance[j], 1e-10 * distance[j]) << "trajectory " << j;
  }
  EXPECT_GT(largest(log_ratio), 0.1);

  expect_gradient(gradient(*evidence, target, weights), recorded.numbers("gradient"));
}

INSTANTIATE_TEST_SUITE_P(Cases, MlpAgainstTorch, testing::ValuesIn(kCases),
                         [](const auto& named) { return std::string(named.param); });

class LearnedDeviationAgainstTorch : public testing::TestWithParam<const char*> {};

TEST_P(LearnedDeviationAgainstTorch, LogRatiosDivergencesAndGradientAgree) {
  const Case recorded(kFolder / (std::string(GetParam()) + ".txt"));
  const TrajectoryBatch batch = recorded.batch();
  MlpGaussianOptions options = recorded.options();
  options.learn_deviation = true;
  std::vector<std::unique_ptr<Policy>> policies;
  policies.push_back(mlp_gaussian(options));
  if (options.hidden.empty()) {  // without a bias, the parameters of a linear policy stand in the same order
    policies.push_back(linear_gaussian({.observation_size = options.observation_size,
                                        .action_size = options.action_size,
                                        .variance = options.variance,
                                        .shift = options.shift,
                                        .scale = options.scale,
                                        .learn_deviation = true}));
  }
  const std::vector<double> target = recorded.numbers("target"), behavior = recorded.numbers("behavior");
  const std::vector<double> weights = recorded.numbers("weights"), log_ratio = recorded.numbers("log_ratio"),
                            divergence = recorded.numbers("divergence"), renyi = recorded.numbers("renyi");
  ASSERT_EQ(as_index(log_ratio.size()), batch.size());
  for (const auto& policy : policies) {
    ASSERT_EQ(policy->parameter_count(), as_index(target.size()));
    const auto evidence = policy->digest(behavior, batch, std::stod(recorded.text("discount")),
                                         recorded.text("credit") == "return" ? Credit::kReturn : Credit::kRewardToGo);
    const Answers answers = ask(*evidence, target, weights);
    std::vector<double> divergences(answers.renyi.size());
    as<DivergenceEvidence>(*evidence).divergences(target, behavior, 0, chunk_count(batch.size()), divergences.data());
    for (std::size_t j = 0; j < log_ratio.size(); ++j) {
      EXPECT_NEAR(answers.log_ratio[j], log_ratio[j], 1e-10 * std::abs(log_ratio[j])) << "trajectory " << j;
      EXPECT_NEAR(answers.renyi[j], renyi[j], 1e-10 * renyi[j]) << "trajectory " << j;
      EXPECT_NEAR(divergences[j], divergence[j], 1e-10 * divergence[j]) << "trajectory " << j;
    }
    EXPECT_GT(largest(log_ratio), 0.1);
    expect_gradient(gradient(*evidence, target, weights), recorded.numbers("gradient"));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, LearnedDeviationAgainstTorch, testing::ValuesIn(kLearned),
                         [](const auto& named) { return std::string(named.param); });

TEST(MlpAgainstTorchFiles, AreAllComparedWith) {
  std::set<std::string> expected;
  for (const char* name : kCases) expected.insert(std::string(name) + ".txt");
  for (const char* name : kLearned) expected.insert(std::string(name) + ".txt");
  const std::vector<std::string> found = listing(kFolder);
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), expected);
}

}  // namespace
}  // namespace retropg::test
