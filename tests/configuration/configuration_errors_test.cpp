#include "retropg/configuration/configuration.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/configuration_text.hpp"

namespace retropg::test {
namespace {

TEST(ConfigurationErrors, NameTheLineAndTheKeyThatWasMeant) {
  expect_refused_texts(
      {{"[env]\n\n[algo]\nname = \"rpg\"\n\n\nwindw = 8\n",
        "run.toml:7: unknown key 'algo.windw'; did you mean 'algo.window'?"},
       {"algo.windw = 8", "run.toml:1: unknown key 'algo.windw'; did you mean 'algo.window'?"},
       {"window = 8", "run.toml:1: unknown key 'window'; did you mean 'algo.window'?"},
       {"[train]\nrate = 0.1", "run.toml:2: unknown key 'train.rate'; did you mean 'optimizer.rate'?"},
       {"[train]\ncoeficients = 1", "run.toml:2: unknown key 'train.coeficients'; did you mean 'algo.coefficients'?"},
       {"[optimizer]\nnesterov = 0.1",
        "run.toml:2: unknown key 'optimizer.nesterov' (known in [optimizer]: kind, rate, beta1, beta2, epsilon, "
        "trust)"},
       {"[optimizer]\nbeta = 0.1", "run.toml:2: unknown key 'optimizer.beta'; did you mean 'optimizer.beta1'?"}});
  EXPECT_EQ(set_error("alog.windw=1"), "--set alog.windw=1: unknown key 'alog.windw'; did you mean 'algo.window'?");
  const std::string sections = "run.toml:1: unknown key 'verbosity' (known sections: env, lqr, bandit, policy, algo, ";
  EXPECT_EQ(error_in("verbosity = 1").substr(0, sections.size()), sections);
}

TEST(ConfigurationErrors, SayWhatAKeyIsCalledNow) {
  expect_refused_texts(
      {{"[algo]\nmomentum = 0.5", "run.toml:2: key 'algo.momentum' is now called 'algo.forgetting'"},
       {"pois.centred = true", "run.toml:1: key 'pois.centred' is now called 'pois.centered'"},
       {"pois.self_normalised = true", "run.toml:1: key 'pois.self_normalised' is now called 'pois.self_normalized'"}});
  EXPECT_EQ(set_error("algo.momentum=0.5"),
            "--set algo.momentum=0.5: key 'algo.momentum' is now called 'algo.forgetting'");
  Configuration configuration;
  apply_text(configuration, "algo.momentum = 0.5\npois.centred = true\npois.self_normalised = false", "old.toml",
             OldKeys::kAccept);
  EXPECT_EQ(
      configuration,
      parse_configuration("algo.forgetting = 0.5\npois.centered = true\npois.self_normalized = false", "new.toml"));
  EXPECT_EQ(
      error_of([&] { apply_text(configuration, "\nalgo.momentum = 2", "old.toml", OldKeys::kAccept); }).substr(0, 11),
      "old.toml:2:")
      << "an old name is held to the same range";
}

TEST(ConfigurationErrors, RefuseUnknownSections) {
  expect_refused_texts(
      {{"\n[alog]\nwindow = 8",
        "run.toml:2: unknown section 'alog'; did you mean 'algo'? "
        "(known: env, lqr, bandit, policy, algo, optimizer, train, baseline, rnpg, bpo, pois, nes, hyperpolicy, "
        "checkpoint, log)"},
       {"[logging]",
        "run.toml:1: unknown section 'logging' (known: env, lqr, bandit, policy, algo, optimizer, train, baseline, "
        "rnpg, bpo, pois, nes, hyperpolicy, checkpoint, log)"},
       {"algo = \"rpg\"", "run.toml:1: 'algo' is a section: write [algo]"},
       {"[[algo]]\nname = \"rpg\"", "run.toml:1: 'algo' is a section: write [algo]"}});
  EXPECT_EQ(error_in("[algo.extra]\nx = 1").substr(0, 35), "run.toml:1: unknown key 'algo.extra");
  EXPECT_EQ(error_in("\"algo.window\" = 8"), "run.toml:1: 'algo.window' must be written without quotes");
}

TEST(ConfigurationErrors, SayWhatAValueMustBe) {
  expect_refused_texts(
      {{"[env]\n\n[algo]\n\n\n\nbatch = \"ten\"\n",
        "run.toml:7: algo.batch must be a whole number from 1 to 10000000, not \"ten\""},
       {"algo.batch = 10.0", "run.toml:1: algo.batch must be a whole number from 1 to 10000000, not 10.0"},
       {"algo.batch = true", "run.toml:1: algo.batch must be a whole number from 1 to 10000000, not true"},
       {"algo.batch = 2020-01-01",
        "run.toml:1: algo.batch must be a whole number from 1 to 10000000, not a date or time"},
       {"[algo.batch]", "run.toml:1: algo.batch must be a whole number from 1 to 10000000, not a table"},
       {"algo.window = \"some\"",
        "run.toml:1: algo.window must be a whole number from 1 to 10000000 or \"all\", not \"some\""},
       {"algo.constant = \"code\"",
        "run.toml:1: algo.constant must be a number > 0, \"paper\" (1) or \"magicrl\" (4 ln 5 / 3), not \"code\""},
       {"policy.bias = 1", "run.toml:1: policy.bias must be true or false, not 1"},
       {"env.id = 3", "run.toml:1: env.id must be a name in quotes, not 3"},
       {"env.id = \"\"", "run.toml:1: env.id must be a name in quotes, not \"\""},
       {"policy.shift = [1, \"x\", [2], true]",
        "run.toml:1: policy.shift must be a list of numbers, not [1, \"x\", [...], true]"},
       {"policy.shift = 1", "run.toml:1: policy.shift must be a list of numbers, not 1"}});
}

TEST(ConfigurationErrors, SuggestTheChoiceThatWasMeant) {
  expect_refused_texts(
      {{"train.output = \"bets\"",
        "run.toml:1: train.output must be \"estimate\", \"best\", \"last\" or \"random\", not \"bets\"; did you mean "
        "\"best\"?"},
       {"train.output = \"everything\"",
        "run.toml:1: train.output must be \"estimate\", \"best\", \"last\" or \"random\", not \"everything\""},
       {"train.output = 1", "run.toml:1: train.output must be \"estimate\", \"best\", \"last\" or \"random\", not 1"}});
}

TEST(ConfigurationErrors, ReportTheFirstMistakeOfTheFile) {
  EXPECT_EQ(error_in("[train]\nseed = -1\n[algo]\nbatch = 0\n"),
            "run.toml:2: train.seed must be a whole number from 0 to 9223372036854775807, not -1");
}

TEST(ConfigurationErrors, NameTheLineOfASyntaxError) {
  EXPECT_EQ(error_in("[algo]\nbatch = \n").substr(0, 12), "run.toml:2: ");
  EXPECT_EQ(error_in("[algo\n").substr(0, 12), "run.toml:1: ");
  EXPECT_EQ(error_in("[algo]\nbatch = 1\nbatch = 2\n").substr(0, 12), "run.toml:3: ");
  EXPECT_EQ(error_in("train.seed = 9223372036854775808").substr(0, 12), "run.toml:1: ");
  EXPECT_EQ(error_in("a = \"\xff\"").substr(0, 12), "run.toml:1: ");
}

TEST(ConfigurationErrors, AreOneLineWhateverTheyQuote) {
  const std::string line = error_in("env.horizon = \"\"\"a\n" + std::string(1000, 'x') + "\"\"\"");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_LT(line.size(), 200u);
  EXPECT_EQ(error_in("\"a\\nb\" = 1").find('\n'), std::string::npos);
  EXPECT_EQ(set_error("algo.batch=1\n2").find('\n'), std::string::npos);
  EXPECT_LT(error_in("algo.lambda = [" + std::string(3000, '7') + "]").size(), 400u);
}

struct Bad {
  std::string key, value;
};

TEST(ConfigurationErrors, RefuseValuesOutOfRange) {
  const std::vector<Bad> cases{
      {"env.horizon", "0"},
      {"env.horizon", "10000001"},
      {"env.discount", "-0.1"},
      {"env.discount", "1.1"},
      {"lqr.process_noise", "-1"},
      {"lqr.start_range", "-1"},
      {"bandit.width", "0"},
      {"policy.variance", "0"},
      {"policy.variance", "[]"},
      {"policy.variance", "[1, -1]"},
      {"algo.batch", "0"},
      {"algo.batch", "10000001"},
      {"algo.window", "0"},
      {"algo.window", "-1"},
      {"algo.constant", "0"},
      {"algo.order", "1"},
      {"algo.divergence_bound", "0"},
      {"algo.confidence", "0"},
      {"algo.confidence", "1"},
      {"algo.gradient_bound", "-1"},
      {"algo.hessian_bound", "-1"},
      {"algo.score_bound", "-1"},
      {"algo.lambda", "[0.5, 1.5]"},
      {"algo.lambda", "[-0.5]"},
      {"algo.alpha", "[1, -1]"},
      {"algo.alpha", "[0, 0]"},
      {"optimizer.rate", "-0.1"},
      {"optimizer.beta1", "1"},
      {"optimizer.beta2", "-0.1"},
      {"optimizer.epsilon", "0"},
      {"train.iterations", "0"},
      {"train.budget", "-1"},
      {"train.seed", "-1"},
      {"train.threads", "-1"},
      {"train.lanes", "0"},
      {"train.lanes", "6"},
      {"train.lanes", "1028"},
  };
  for (const auto& [key, value] : cases) {
    EXPECT_EQ(error_in(key + " = " + value).rfind("run.toml:1: " + key + " must be ", 0), 0u) << key << " = " << value;
  }
  EXPECT_EQ(error_in("train.lanes = 6"), "run.toml:1: train.lanes must be a multiple of 4 from 4 to 1024, not 6");
  EXPECT_EQ(error_in("algo.alpha = [0, 0]"),
            "run.toml:1: algo.alpha must be a list of numbers >= 0 with at least one > 0, not [0, 0]");
}

TEST(ConfigurationErrors, RefuseNanAndInfinityForEveryKey) {
  for (const std::string& key : configuration_keys()) {
    for (const std::string value : {"nan", "inf", "-inf", "1e999", "[nan]", "[1, inf]", "[1e999]"}) {
      EXPECT_NE(error_in(key + " = " + value), "no error") << key << " = " << value;
    }
  }
  EXPECT_EQ(error_in("optimizer.rate = nan"), "run.toml:1: optimizer.rate must be a number from 0 to 1e100, not nan");
}

}  // namespace
}  // namespace retropg::test
