#include "retropg/experiment/experiment_plan.hpp"

#include <gtest/gtest.h>

#include <toml++/toml.h>

#include <set>

#include "retropg/configuration/configuration_schema.hpp"
#include "retropg/experiment/catalog.hpp"
#include "retropg/experiment/experiment.hpp"
#include "retropg/experiment/experiment_files.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

const std::string kPlan =
    "title = \"t\"\nruns = 4\nbudget = 50\nreference = \"two\"\nthreshold = 9\nscale = 0.5\n"
    "[[arm]]\nlabel = \"one\"\nsettings = [\"algo.name=rpg\"]\nbudget = 100\n"
    "[[arm]]\nlabel = \"two\"\nsettings = [\"algo.name=gpomdp\", \"algo.batch=3\"]\n";

ExperimentPlan parse(const std::string& plan, const std::string& expected = "") {
  return parse_experiment(
      {.name = "n", .place = "p/", .base = "[algo]\nbatch = 6\n", .plan = plan, .expected = expected});
}

TEST(ExperimentPlan, ReadsArmsFiguresAndWhatIsExpected) {
  const ExperimentPlan plan =
      parse(kPlan + "[[figure]]\nname = \"f\"\naxis = \"used\"\n[[figure.panel]]\ntitle = \"p\"\narms = [\"two\"]\n",
            "source = \"s\"\n[[area]]\narm = \"one\"\nvalue = 3.5\nstandard_error = 0.1\n"
            "[[seconds]]\narm = \"two\"\nvalue = 2\n"
            "[[claim]]\nclaim = \"c\"\ncheck = \"similar\"\ncandidate = \"one\"\nreference = [\"one\", "
            "\"two\"]\nmargin = 1\n");
  EXPECT_EQ(plan.comparison.title, "t");
  EXPECT_EQ(plan.paper_runs, 4);
  EXPECT_EQ(plan.comparison.budget, 50);
  EXPECT_EQ(plan.comparison.threshold, std::optional(9.0));
  EXPECT_EQ(plan.comparison.base.algo.batch, 6);
  EXPECT_EQ(plan.comparison.arms[0].expected->mean, 3.5);
  EXPECT_EQ(plan.seconds[0].value, 2.0);
  EXPECT_EQ(plan.figures[0].axis, Axis::kUsed);
  EXPECT_EQ(plan.figures[0].panels[0].arms, std::vector<std::string>{"two"});
  EXPECT_EQ(plan.claims[0].check, Check::kSimilar);
  EXPECT_EQ(plan.claims[0].reference.size(), 2U);
}

TEST(ExperimentPlan, IsRunAtItsScaleOrTheOneAskedFor) {
  const ExperimentPlan plan = parse(kPlan);
  const ReadyExperiment half = prepare(plan, {});
  EXPECT_EQ(half.comparison().arms[0].configuration.train.budget, 50);
  EXPECT_EQ(half.comparison().arms[1].configuration.train.budget, 25);
  EXPECT_EQ(half.comparison().references, (std::vector<std::size_t>{1, 1}));
  const ReadyExperiment full = prepare(plan, {.runs = 7, .scale = 1.0, .first_seed = 5});
  EXPECT_EQ(full.comparison().arms[0].configuration.train.budget, 100);
  EXPECT_EQ(full.comparison().plan.seeds, 7);
  EXPECT_EQ(full.comparison().plan.first_seed, 5U);
  expect_throw([&] { prepare(plan, {.scale = 1.5}); }, "at most 1");
}

TEST(ExperimentPlan, GoesOnAtItsOwnScaleOnly) {
  const auto plan_at = [](double scale) { return results_plan(prepare(parse(kPlan), {.scale = scale})); };
  const std::string file = to_toml(plan_at(0.3));
  EXPECT_EQ(require_same_plan(plan_at(0.3), file, {}), "");
  expect_throw(
      [&] {
        require_same_plan(plan_at(0.4), file, {{"scale", "--scale"}});
      },
      "was made with --scale 0.3, not 0.4");
}

TEST(ExperimentPlan, RefusesAScaleThatLeavesLessThanTwoBatches) {
  expect_throw([] { prepare(parse(kPlan), {.scale = 0.2}); },
               "the budget of 10 trajectories is less than two batches of arm 'one', 6 each");
  const std::string claim = "[[claim]]\nclaim = \"c\"\ncandidate = \"two\"\nreference = \"one\"\nbudget = 20\n";
  expect_throw([&] { prepare(parse(kPlan, claim), {.scale = 0.5}); },
               "claim 'c': its budget of 10 trajectories is less than two batches of arm 'one', 6 each");
  prepare(parse(kPlan, claim), {.scale = 0.6});
}

TEST(ExperimentPlan, SaysWhereAndWhatIsWrong) {
  expect_throw([] { parse("title = \"t\"\n"); }, "p/experiment.toml: 'runs' is missing");
  expect_throw([] { parse("title = \"t\"\nrums = 2\n"); }, "'runs' is missing; is 'rums' meant to be it?");
  expect_throw([] { parse("title = \"t\"\nruns = 2\nbudget = 5\n"); }, "[[arm]]");
  expect_throw([] { parse("title = [\n"); }, "p/experiment.toml:");
  expect_throw([] { parse("title = \"t\"\nruns = 2\nbudget = 5\n[[arm]]\nlabel=\"x\"\n"); },
               "p/experiment.toml: arm 1: 'settings' is missing");
  expect_throw([] { parse("title = \"t\"\nruns = \"2\"\n"); }, "'runs' must be a whole number");
  expect_throw([] { parse("titel = \"t\"\ntitle = \"t\"\n" + kPlan.substr(12)); },
               "unknown key 'titel'; did you mean 'title'?");
  expect_throw([] { parse(kPlan + "[[figure]]\n[[figure.panel]]\narms = [\"thre\"]\n"); },
               "figure 1: panel 1: unknown arm 'thre'");
  expect_throw([] { parse(kPlan + "[[figure]]\nname = \"../x\"\n"); },
               "figure 1: 'name' must consist of small letters");
  expect_throw([] { parse(kPlan + "[[figure]]\n[[figure]]\n"); }, "figure 2: another figure has the name \"\" too");
  const auto claim = [](const std::string& text) {
    return [text] { parse(kPlan, "[[claim]]\nclaim = \"c\"\n" + text); };
  };
  expect_throw(claim(""), "p/expected.toml: claim 1: 'candidate' is missing");
  expect_throw(claim("candidate = \"one\"\n"), "'reference' is missing");
  expect_throw(claim("check = \"aheda\"\n"), "unknown check 'aheda'; did you mean 'ahead'?");
  expect_throw(claim("check = \"similar\"\ncandidate = \"one\"\nreference = \"two\"\n"), "'margin' is missing");
  expect_throw(claim("candidate = \"one\"\nreference = \"two\"\nmargin = 1\n"), "unknown key 'margin'");
  expect_throw(claim("check = \"ratio\"\ncandidate = \"one\"\nreference = \"two\"\nhighest = 3\npaper = 2\n"),
               "'interval' must be two numbers");
  expect_throw(claim("check = \"ratio\"\ncandidate = \"one\"\nreference = \"two\"\nmeasure = \"end\"\n"
                     "highest = 3\npaper = 2\ninterval = [1, 3]\n"),
               "unknown key 'measure'");
  expect_throw(claim("candidate = \"one\"\nreference = \"two\"\nfactor = -1\n"), "'factor' must be positive");
  expect_throw(claim("candidate = \"one\"\nreference = \"two\"\nbudget = -5\n"), "'budget' must be at least 1");
  expect_throw(claim("check = \"below\"\nmeasure = \"reached\"\ncandidate = \"one\"\nvalue = 3\n"),
               "'value' cannot be both");
}

TEST(ExperimentPlan, ErrorsOfArmsAndSweepsNameTheFile) {
  expect_throw(
      [] {
        parse_experiment({.name = "n", .place = "p/", .base = "[env]\nid = \"LQX\"\n", .plan = kPlan, .expected = ""});
      },
      "p/base.toml: unknown environment 'LQX'");
  expect_throw([] { prepare(parse("sweep = [\"optimizer.rate=1\"]\n" + kPlan), {}); },
               "p/experiment.toml: sweep optimizer.rate=1: a sweep needs at least two values");
  expect_throw([] { prepare(parse(kPlan + "[[arm]]\nlabel = \"x\"\nsettings = [\"algo.bach=3\"]\n"), {}); },
               "p/experiment.toml: arm 'x'");
}

TEST(Experiments, AreWhatTheDocumentationPromises) {
  std::set<std::string> names;
  for (const RegistryEntry& entry : experiments()) names.insert(entry.name);
  for (const char* name : {"table2", "window", "batch", "cartpole", "swimmer", "halfcheetah", "ablation-budget",
                           "ablation-window", "baseline", "baseline-single", "tuned", "tuned-swimmer"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Experiments, FixEveryKeyThatDecidesANumber) {
  // Keys with a default in these sections; the others belong to methods that no experiment uses.
  const std::set<std::string> sections = {"env", "policy", "algo", "optimizer", "baseline"};
  // Read by rules for the coefficients, kinds of policies and environments that no experiment uses.
  const std::set<std::string> unused = {
      "policy.width",    "policy.shift",        "policy.scale",       "policy.action_shift", "policy.action_scale",
      "algo.confidence", "algo.gradient_bound", "algo.hessian_bound", "algo.score_bound",    "algo.lambda",
      "algo.alpha",      "policy.hidden",       "policy.activation"};
  const std::set<std::string> known_methods = {"rpg",   "rpg-theory", "miw-pg",   "bh-pg",  "gpomdp",
                                               "svrpg", "srvrpg",     "storm-pg", "def-pg", "page-pg"};
  for (const RegistryEntry& entry : experiments()) {
    const toml::table base = toml::parse(experiment_files().at(entry.name + "/base"));
    for (const SettingSection& section : configuration_schema()) {
      if (!sections.contains(section.name)) continue;
      for (const SettingKey& key : section.keys) {
        if (unused.contains(key.name)) continue;
        const bool follows_batch = key.name == "algo.snapshot" || key.name == "algo.mini_batch";
        if (follows_batch && entry.name.starts_with("tuned")) continue;  // the batch is tried
        EXPECT_TRUE(base[section.name][section.short_name(key)]) << entry.name << " does not fix " << key.name;
      }
    }
    const ExperimentPlan plan = builtin_experiment(entry.name);
    if (plan.comparison.base.policy.kind == "mlp-gaussian") {
      EXPECT_TRUE(base["policy"]["hidden"] && base["policy"]["activation"]) << entry.name;
    }
    const ReadyExperiment ready = prepare(plan, {});
    for (const Arm& arm : ready.comparison().arms) {
      EXPECT_TRUE(known_methods.contains(arm.configuration.algo.name)) << entry.name << ": " << arm.label;
      EXPECT_EQ(arm.configuration.algo.coefficients, "adaptive");
    }
  }
}

TEST(Experiments, OnCartPoleAreThePapers) {
  for (const char* name : {"table2", "window", "batch", "cartpole", "ablation-budget", "ablation-window"}) {
    const ReadyExperiment ready = prepare(builtin_experiment(name), {});
    EXPECT_EQ(ready.plan.scale, 1.0);
    EXPECT_FALSE(ready.plan.claims.empty());
    for (const Arm& arm : ready.comparison().arms) {
      EXPECT_EQ(arm.configuration.env.id, "CartPoleContinuous-v0");
      EXPECT_EQ(arm.configuration.optimizer.rate, 0.01);
      EXPECT_EQ(arm.configuration.policy.variance, std::vector<double>{0.3});
    }
  }
}

}  // namespace
}  // namespace retropg::test
