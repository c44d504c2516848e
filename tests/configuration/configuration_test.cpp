#include "retropg/configuration/configuration.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "retropg/storage/configuration_file.hpp"
#include "support/configuration_text.hpp"
#include "support/source_folder.hpp"

namespace retropg::test {
namespace {

// A value other than the default for every key.
const std::map<std::string, std::string> kOtherValues{
    {"env.id", "\"LQR-v0\""},
    {"env.horizon", "50"},
    {"env.discount", "0.99"},
    {"lqr.dynamics", "[0.9, 0.1, 0.0, 0.9]"},
    {"lqr.input", "[1.0, 0.5]"},
    {"lqr.state_cost", "[1.0, 0.0, 0.0, 1.0]"},
    {"env.clip", "true"},
    {"lqr.action_cost", "[0.1]"},
    {"lqr.process_noise", "0.05"},
    {"lqr.start_range", "2.0"},
    {"bandit.target", "-1.5"},
    {"bandit.width", "0.7"},
    {"policy.kind", "\"other\""},
    {"policy.variance", "[0.1, 0.2]"},
    {"policy.learn_deviation", "true"},
    {"policy.exploration", "\"parameters\""},
    {"policy.bias", "true"},
    {"policy.shift", "[1.0, -1.0]"},
    {"policy.scale", "[0.5, 2.0]"},
    {"policy.scaling", "\"pilot\""},
    {"policy.width", "0.5"},
    {"policy.hidden", "[16, 8]"},
    {"policy.activation", "\"relu\""},
    {"policy.action_shift", "[0.5]"},
    {"policy.action_scale", "[2.0]"},
    {"policy.evidence", "\"steps\""},
    {"algo.name", "\"miw-pg\""},
    {"algo.batch", "5"},
    {"algo.window", "\"all\""},
    {"algo.coefficients", "\"explicit\""},
    {"algo.constant", "2.5"},
    {"algo.divergence", "\"sample\""},
    {"algo.order", "1.5"},
    {"algo.divergence_bound", "4.0"},
    {"algo.confidence", "0.05"},
    {"algo.gradient_bound", "1.0"},
    {"algo.hessian_bound", "2.0"},
    {"algo.score_bound", "3.0"},
    {"algo.lambda", "[0.0, 0.5, 1.0]"},
    {"algo.alpha", "[0.0, 2.0]"},
    {"algo.baseline", "\"mean\""},
    {"algo.snapshot", "100"},
    {"algo.mini_batch", "3"},
    {"algo.epoch", "5"},
    {"algo.refresh", "0.25"},
    {"algo.forgetting", "0.5"},
    {"algo.weights", "\"trajectory\""},
    {"algo.two_adam", "true"},
    {"algo.early_stop", "true"},
    {"algo.current_share", "0.75"},
    {"algo.mixture", "\"random\""},
    {"baseline.rate", "0.1"},
    {"baseline.ridge", "0.01"},
    {"rnpg.damping", "0.1"},
    {"rnpg.kl_limit", "0.5"},
    {"rnpg.projection", "10.0"},
    {"bpo.defensive", "0.5"},
    {"bpo.reuse", "true"},
    {"bpo.spread_low", "0.5"},
    {"bpo.spread_high", "2.0"},
    {"bpo.fit_steps", "10"},
    {"bpo.fit_rate", "0.001"},
    {"bpo.fit_decay", "1.0"},
    {"bpo.fit_divergence", "2.0"},
    {"bpo.fit_tolerance", "0.1"},
    {"pois.delta", "0.5"},
    {"pois.bound", "\"std-d2\""},
    {"pois.offline", "3"},
    {"pois.centered", "false"},
    {"pois.self_normalized", "true"},
    {"pois.natural", "true"},
    {"hyperpolicy.variance", "[0.1, 0.2]"},
    {"nes.weights", "\"power-mean\""},
    {"nes.gain", "2.0"},
    {"nes.mean_damping", "1.0"},
    {"nes.deviation_damping", "2.0"},
    {"nes.deviation_limit", "0.2"},
    {"nes.leaps_from", "1"},
    {"nes.recombine_from", "1"},
    {"hyperpolicy.learn_deviation", "true"},
    {"checkpoint.every", "7"},
    {"checkpoint.seconds", "0.5"},
    {"log.metrics", "10"},
    {"log.tensorboard", "false"},
    {"log.monitor", "false"},
    {"optimizer.kind", "\"constant\""},
    {"optimizer.rate", "0.001"},
    {"optimizer.beta1", "0.8"},
    {"optimizer.beta2", "0.99"},
    {"optimizer.epsilon", "1e-10"},
    {"optimizer.trust", "0.25"},
    {"train.iterations", "7"},
    {"train.budget", "5000"},
    {"train.steps", "70000"},
    {"train.seed", "9223372036854775807"},
    {"train.threads", "3"},
    {"train.lanes", "64"},
    {"train.output", "\"random\""},
    {"train.broken", "\"drop\""},
    {"train.eval_every", "5"},
    {"train.eval_episodes", "7"},
    {"train.confirm", "30"},
    {"train.until_solved", "true"},
};

TEST(Configuration, HasADefaultForEverything) {
  EXPECT_EQ(parse_configuration("", "empty"), Configuration{});
  EXPECT_NO_THROW(check_configuration(Configuration{}));
}

TEST(Configuration, IsReadFromSectionsDottedKeysAndInlineTables) {
  const Configuration expected = with("algo.window=4");
  EXPECT_EQ(parse_configuration("[algo]\nwindow = 4\n", "t"), expected);
  EXPECT_EQ(parse_configuration("algo.window = 4\n", "t"), expected);
  EXPECT_EQ(parse_configuration("algo = { window = 4 }\n", "t"), expected);
}

TEST(Configuration, TakesWholeNumbersForReals) {
  const Configuration configuration = parse_configuration("[optimizer]\nrate = 1\n[policy]\nshift = [1, 2.5]\n", "t");
  EXPECT_EQ(configuration.optimizer.rate, 1.0);
  EXPECT_EQ(configuration.policy.shift, (std::vector{1.0, 2.5}));
}

TEST(Configuration, KnowsTheWordsThatStandForNumbers) {
  EXPECT_EQ(with("algo.window=all").algo.window, kFullReuse);
  EXPECT_EQ(with("algo.constant=paper").algo.constant, 1.0);
  EXPECT_EQ(with("algo.constant=magicrl").algo.constant, kMagicRlConstant);
  EXPECT_DOUBLE_EQ(kMagicRlConstant, 4.0 * std::log(5.0) / 3.0);
}

TEST(Configuration, TakesOneVarianceOrOneForEachAction) {
  EXPECT_EQ(with("policy.variance=0.5").policy.variance, std::vector{0.5});
  EXPECT_EQ(with("policy.variance=[0.5]").policy.variance, std::vector{0.5});
  EXPECT_EQ(with("policy.variance=[1, 0.5]").policy.variance, (std::vector{1.0, 0.5}));
}

TEST(Configuration, LetsLaterSourcesWinKeyByKey) {
  Configuration configuration;
  apply_text(configuration, "[algo]\nbatch = 20\nwindow = 4\n", "run.toml");
  apply_setting(configuration, "algo.window=2");
  EXPECT_EQ(configuration.algo.batch, 20);
  EXPECT_EQ(configuration.algo.window, 2);
  EXPECT_EQ(configuration.train, TrainSettings{});
  apply_text(configuration, "algo.lambda = [0.5]", "first");
  apply_text(configuration, "algo.lambda = []", "second");
  EXPECT_TRUE(configuration.algo.lambda.empty());
}

TEST(Configuration, IsReadFromAFile) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "retropg_configuration_test.toml";
  std::ofstream(file) << "[algo]\nbatch = 3\nwindw = 3\n";
  Configuration configuration;
  EXPECT_EQ(error_of([&] { apply_file(configuration, file); }),
            file.string() + ":3: unknown key 'algo.windw'; did you mean 'algo.window'?");
  EXPECT_EQ(configuration, Configuration{});  // a refused file changes nothing, its good keys included
  std::ofstream(file) << "[algo]\nbatch = 3\n";
  EXPECT_EQ(load_configuration(file), with("algo.batch=3"));
  std::ofstream(file) << std::string(2 << 20, '#');
  EXPECT_EQ(error_of([&] { load_configuration(file); }),
            "cannot read " + file.string() + ": it is longer than 1048576 bytes");
  std::filesystem::remove(file);
  EXPECT_EQ(error_of([&] { load_configuration(file); }),
            "cannot read " + file.string() + ": No such file or directory");
  EXPECT_EQ(error_of([&] { load_configuration("/"); }), "cannot read /: it is not a regular file");
}

TEST(Settings, TakeWordsWithoutQuotes) {
  EXPECT_EQ(with("algo.name=miw-pg").algo.name, "miw-pg");
  EXPECT_EQ(with("algo.name=\"miw-pg\"").algo.name, "miw-pg");
  EXPECT_EQ(with("algo.name='miw-pg'").algo.name, "miw-pg");
  EXPECT_EQ(with(" algo.name = miw-pg ").algo.name, "miw-pg");
  EXPECT_EQ(with("env.id=a=b \"c\" \\d").env.id, "a=b \"c\" \\d");
}

TEST(Settings, TakeChoicesInAnyCaseAndHoldTheirOwn) {
  EXPECT_EQ(with("optimizer.kind=Constant"), with("optimizer.kind=constant"));
  EXPECT_EQ(with("policy.exploration=PARAMETERS"), with("policy.exploration=parameters"));
  EXPECT_EQ(with("algo.window=ALL").algo.window, kFullReuse);
  EXPECT_EQ(with("algo.constant=MagicRL"), with("algo.constant=magicrl"));
  EXPECT_EQ(parse_configuration("train.output = 'Last'", "t").train.output, "last");
}

TEST(Settings, BeginTheirErrorsWithTheOption) {
  expect_refused_settings(
      {{"algo.windw=3", "--set algo.windw=3: unknown key 'algo.windw'; did you mean 'algo.window'?"},
       {"algo.batch=ten", "--set algo.batch=ten: algo.batch must be a whole number from 1 to 10000000, not \"ten\""},
       {"algo.lambda=[0.1,", "--set algo.lambda=[0.1,: algo.lambda must be a list of numbers from 0 to 1, not [0.1,"},
       {"env.id=\"x", "--set env.id=\"x: env.id must be a name in quotes, not \"x"},
       {"env.id=\xff", "--set env.id=\uFFFD: env.id must be a name in quotes, not \uFFFD"},
       {"algo=rpg", "--set algo=rpg: 'algo' is a section; name one of its keys"}});
  for (const std::string assignment : {"algo.window", "algo.window=", "algo.window= ", ""}) {
    EXPECT_EQ(set_error(assignment), "--set " + assignment + ": write it as key=value, for example algo.window=4");
  }
  EXPECT_EQ(set_error("=3").substr(0, 37), "--set =3: unknown key '' (known secti");
}

TEST(Settings, CannotSmuggleInASecondKey) {
  EXPECT_NE(set_error("algo.batch=3\nalgo.window=5"), "no error");
  EXPECT_NE(set_error("algo.batch=3\n[algo]\nwindow=5"), "no error");
}

TEST(Settings, ReachEveryKeyOfTheSchema) {
  const std::vector<std::string> keys = configuration_keys();
  EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), keys.size());
  EXPECT_EQ(keys.size(), kOtherValues.size());
  Configuration all;
  std::set<std::string> texts;
  for (const std::string& key : keys) {
    ASSERT_TRUE(kOtherValues.contains(key)) << key;
    const std::string assignment = key + "=" + kOtherValues.at(key);
    const Configuration one = with(assignment);
    EXPECT_NE(one, Configuration{}) << assignment;
    EXPECT_EQ(parse_configuration(assignment, "t"), one);
    const std::string line = "\n" + key.substr(key.find('.') + 1) + " = " + kOtherValues.at(key) + "\n";
    EXPECT_NE(to_toml(one).find(line), std::string::npos) << assignment;
    texts.insert(to_toml(one));
    apply_setting(all, assignment);
  }
  EXPECT_EQ(texts.size(), keys.size());  // no two keys share a field
  EXPECT_EQ(parse_configuration(to_toml(all), "t"), all);
}

TEST(ToToml, WritesEveryKeyAndReadsBack) {
  const std::string text = to_toml(Configuration{});
  EXPECT_EQ(parse_configuration(text, "t"), Configuration{});
  EXPECT_EQ(text.rfind("[env]\nid = \"CartPoleContinuous-v0\"\n# horizon: the environment's default\n", 0), 0u);
  EXPECT_NE(text.find("\n\n[algo]\nname = \"rpg\"\nbatch = 10\nwindow = 8\n"), std::string::npos);
  EXPECT_NE(text.find("\nconstant = 1.0\n"), std::string::npos);
  EXPECT_NE(text.find("\n# lambda: none\n"), std::string::npos);
}

TEST(ToToml, KeepsStringsThatNeedEscapes) {
  Configuration configuration;
  configuration.env.id = "quote \" backslash \\ newline \n tab \t bell \a del \x7f umlaut \xc3\xa4 # = [";
  EXPECT_EQ(parse_configuration(to_toml(configuration), "t"), configuration);
}

RC_GTEST_PROP(ToToml, KeepsEveryBitOfEveryNumber, (std::uint64_t bits, std::vector<double> list, bool bias)) {
  const double any = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(any));
  list.push_back(any);
  Configuration configuration;
  configuration.policy.shift = list;
  configuration.policy.bias = bias;
  configuration.bandit.target = any;
  configuration.policy.variance = {std::clamp(std::abs(any), 1e-50, 1e50)};
  configuration.algo.order = std::clamp(std::abs(any), 1.0 + 1e-9, 100.0);
  configuration.train.seed = bits >> 1;
  const Configuration read = parse_configuration(to_toml(configuration), "t");
  RC_ASSERT(read == configuration);
  RC_ASSERT(std::signbit(*read.bandit.target) == std::signbit(any));
}

TEST(CheckConfiguration, HoldsValuesSetInCodeToTheSameRanges) {
  const auto check = [](auto change) {
    Configuration configuration;
    change(configuration);
    const std::string error = error_of([&] { check_configuration(configuration); });
    EXPECT_EQ(error_of([&] { to_toml(configuration); }), error);
    return error;
  };
  EXPECT_EQ(check([](Configuration& c) { c.algo.batch = 0; }),
            "algo.batch must be a whole number from 1 to 10000000, not 0");
  EXPECT_EQ(check([](Configuration& c) { c.train.seed = std::numeric_limits<std::uint64_t>::max(); }),
            "train.seed must be a whole number from 0 to 9223372036854775807, not 18446744073709551615");
  EXPECT_EQ(check([](Configuration& c) { c.optimizer.rate = std::nan(""); }),
            "optimizer.rate must be a number from 0 to 1e100, not nan");
  EXPECT_EQ(check([](Configuration& c) { c.policy.variance.clear(); }),
            "policy.variance must be a number from 1e-50 to 1e50 or a list of such numbers, not []");
  EXPECT_EQ(
      check([](Configuration& c) { c.train.output = "bets"; }),
      "train.output must be \"estimate\", \"best\", \"last\" or \"random\", not \"bets\"; did you mean \"best\"?");
  EXPECT_EQ(check([](Configuration& c) { c.optimizer.kind = "Constant"; }),
            "optimizer.kind must be \"adam\" or \"constant\", not \"Constant\"; did you mean \"constant\"?")
      << "nothing reads this spelling";
}

TEST(ConfigurationReference, IsTheDocumentation) {
  const std::filesystem::path file = test::source_folder() / "docs" / "configuration.md";
  if (std::getenv("RETROPG_UPDATE_DOCS") != nullptr) std::ofstream(file) << configuration_reference();
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(text, configuration_reference()) << "run this test with RETROPG_UPDATE_DOCS=1 to write the page anew";
}

TEST(ConfigurationReference, HasAValidExample) {
  const std::string text = configuration_reference();
  const std::size_t first = text.find("```toml\n") + 8, last = text.find("```", first);
  EXPECT_EQ(parse_configuration(text.substr(first, last - first), "example"), Configuration{});
}

}  // namespace
}  // namespace retropg::test
