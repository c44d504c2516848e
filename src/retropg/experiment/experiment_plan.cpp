#include "retropg/experiment/experiment_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/experiment/experiment_files.hpp"
#include "retropg/experiment/toml_reader-inl.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

const std::vector<std::string> axis_names = {"collected", "used"};
const std::vector<std::string> check_names = {"ahead", "similar",    "not-behind", "below",
                                              "above", "more-often", "ratio"};
const std::vector<std::string> measure_names = {"area", "end", "fall", "reached", "seconds"};

std::vector<std::string> labels_of(const ComparisonPlan& plan) {
  std::vector<std::string> labels;
  for (const ArmPlan& arm : plan.arms) labels.push_back(arm.label);
  return labels;
}

/// The labels of arms under a key.
std::vector<std::string> arms_of(TomlReader& reader, const std::string& key, const std::vector<std::string>& known) {
  std::vector<std::string> labels = reader.texts(key);
  for (const std::string& label : labels) {
    if (std::ranges::find(known, label) == known.end()) reader.fail(unknown_name_message("arm", label, known));
  }
  return labels;
}

std::string arm_of(TomlReader& reader, const std::string& key, const std::vector<std::string>& known) {
  const std::vector<std::string> labels = arms_of(reader, key, known);
  if (labels.size() != 1) reader.fail(fmt::format("'{}' must be the label of an arm", key));
  return labels.front();
}

Axis axis_of(TomlReader& reader) {
  return static_cast<Axis>(reader.choice("axis", axis_names, 0));
}

ArmPlan arm_plan(TomlReader& reader) {
  ArmPlan plan{.label = reader.needed_text("label"),
               .settings = reader.texts("settings"),
               .budget = reader.whole("budget"),
               .reference = reader.text("reference").value_or("")};
  if (plan.settings.empty()) reader.fail("'settings' is missing, a list of \"key=value\"");
  if (plan.budget && *plan.budget < 1) reader.fail("'budget' must be at least 1");
  reader.finish();
  return plan;
}

/// The name becomes part of file names.
void require_plain_name(const FigurePlan& figure, const std::vector<FigurePlan>& before, const TomlReader& reader) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!std::ranges::all_of(figure.name, plain)) {
    reader.fail("'name' must consist of small letters, digits and -, such as \"by-window\"");
  }
  if (std::ranges::find(before, figure.name, &FigurePlan::name) != before.end()) {
    reader.fail(fmt::format("another figure has the name \"{}\" too", figure.name));
  }
}

FigurePlan figure_plan(TomlReader& reader, const ComparisonPlan& plan) {
  FigurePlan figure{.name = reader.text("name").value_or(""),
                    .title = reader.text("title").value_or(plan.title),
                    .axis = axis_of(reader),
                    .panels = {}};
  for (TomlReader& panel : reader.tables("panel")) {
    figure.panels.push_back(
        {.title = panel.text("title").value_or(""), .arms = arms_of(panel, "arms", labels_of(plan))});
    if (figure.panels.back().arms.empty()) panel.fail("'arms' is missing, a list of labels");
    panel.finish();
  }
  if (figure.panels.empty()) figure.panels.push_back({.title = "", .arms = labels_of(plan)});
  reader.finish();
  return figure;
}

Configuration read_base(const ExperimentTexts& texts) {
  const std::string file = texts.place + "base.toml";
  const Configuration base = parse_configuration(texts.base, file);
  try {
    return canonical(base);
  } catch (const Error& error) {
    throw Error(file + ": " + error.what());
  }
}

ExperimentPlan read_plan(const ExperimentTexts& texts) {
  const std::string file = texts.place + "experiment.toml";
  const toml::table table = parse_toml(texts.plan, file);
  TomlReader reader(table, file);
  ExperimentPlan plan{.name = texts.name,
                      .place = texts.place,
                      .comparison = {.title = reader.needed_text("title"),
                                     .base = read_base(texts),
                                     .arms = {},
                                     .seeds = reader.needed_whole("runs"),
                                     .budget = reader.whole("budget").value_or(0),
                                     .reference = reader.text("reference").value_or(""),
                                     .threshold = reader.number("threshold")},
                      .scale = reader.number("scale").value_or(1.0),
                      .sweeps = reader.texts("sweep"),
                      .minutes = reader.number("minutes").value_or(0.0),
                      .figures = {},
                      .seconds = {},
                      .claims = {}};
  plan.paper_runs = plan.comparison.seeds;
  plan.pick_runs = reader.whole("pick_runs").value_or(plan.sweeps.empty() ? 0 : plan.paper_runs);
  if (plan.sweeps.empty() && plan.pick_runs != 0) reader.fail("'pick_runs' needs a 'sweep'");
  if (!plan.sweeps.empty() && plan.pick_runs < 2) reader.fail("'pick_runs' must be at least 2");
  if (plan.minutes < 0.0) reader.fail("'minutes' must not be negative");
  if (plan.paper_runs < 2) reader.fail("'runs' must be at least 2");
  if (plan.comparison.budget < 0) reader.fail("'budget' must not be negative");
  if (!(plan.scale > 0.0 && plan.scale <= 1.0)) reader.fail("'scale' must be above 0 and at most 1");
  for (TomlReader& arm : reader.tables("arm")) {
    plan.comparison.arms.push_back(arm_plan(arm));
    if (!plan.comparison.arms.back().budget && plan.comparison.budget == 0) arm.fail("'budget' is missing");
  }
  if (plan.comparison.arms.empty()) reader.fail("at least one [[arm]] is needed");
  for (TomlReader& table_of_figure : reader.tables("figure")) {
    FigurePlan figure = figure_plan(table_of_figure, plan.comparison);
    require_plain_name(figure, plan.figures, table_of_figure);
    plan.figures.push_back(std::move(figure));
  }
  if (plan.figures.empty()) {
    plan.figures.push_back({.name = "", .title = plan.comparison.title, .panels = {{"", labels_of(plan.comparison)}}});
  }
  reader.finish();
  return plan;
}

void require_single(const Claim& claim, const TomlReader& reader) {
  if (claim.candidate.size() != 1 || claim.reference.size() != 1) {
    reader.fail("a ratio needs one 'candidate' and one 'reference'");
  }
}

Claim read_claim(TomlReader& reader, const std::vector<std::string>& known) {
  const auto check = static_cast<Check>(reader.choice("check", check_names, 0));
  const bool ratio = check == Check::kRatio;
  Claim claim{.text = reader.needed_text("claim"),
              .check = check,
              .measure = ratio ? Measure::kArea : static_cast<Measure>(reader.choice("measure", measure_names, 0)),
              .axis = ratio ? Axis::kCollected : axis_of(reader),
              .candidate = arms_of(reader, "candidate", known),
              .reference = arms_of(reader, "reference", known),
              .budget = ratio ? std::nullopt : reader.whole("budget"),
              .full_scale = reader.flag("full_scale").value_or(false)};
  if (claim.candidate.empty()) reader.fail("'candidate' is missing, the label of an arm");
  const bool alone = claim.check == Check::kBelow || claim.check == Check::kAbove;
  if (alone && claim.measure == Measure::kReached) {
    reader.fail("'value' cannot be both the return to reach and the number of trajectories");
  }
  if (claim.budget && *claim.budget < 1) reader.fail("'budget' must be at least 1");
  if (claim.reference.empty() && !alone) reader.fail("'reference' is missing, the label of an arm");
  if (claim.check == Check::kSimilar || claim.check == Check::kNotBehind) {
    claim.margin = reader.needed_number("margin");
    if (claim.margin <= 0.0) reader.fail("'margin' must be positive");
  }
  if (claim.check == Check::kAhead) claim.factor = reader.number("factor").value_or(1.0);
  if (claim.factor <= 0.0) reader.fail("'factor' must be positive");
  if (alone || claim.check == Check::kMoreOften || claim.measure == Measure::kReached) {
    claim.value = reader.needed_number("value");
  }
  if (ratio) {
    require_single(claim, reader);
    claim.highest_ratio = reader.needed_number("highest");
    claim.paper_ratio = reader.needed_number("paper");
    const std::vector<double> interval = reader.numbers("interval");
    if (interval.size() != 2 || interval[0] > interval[1]) reader.fail("'interval' must be two numbers, [low, high]");
    if (claim.highest_ratio <= 1.0) reader.fail("'highest' must be above 1");
    claim.paper_interval = {interval[0], interval[1]};
  }
  reader.finish();
  return claim;
}

void read_expected(ExperimentPlan& plan, const ExperimentTexts& texts) {
  const std::string file = texts.place + "expected.toml";
  const toml::table table = parse_toml(texts.expected, file);
  const std::vector<std::string> known = labels_of(plan.comparison);
  TomlReader reader(table, file);
  reader.text("source");
  for (TomlReader& area : reader.tables("area")) {
    const std::string label = arm_of(area, "arm", known);
    const auto arm = std::ranges::find(plan.comparison.arms, label, &ArmPlan::label);
    arm->expected = {.mean = area.needed_number("value"), .standard_error = area.needed_number("standard_error")};
    area.finish();
  }
  for (TomlReader& seconds : reader.tables("seconds")) {
    plan.seconds.push_back({.arm = arm_of(seconds, "arm", known), .value = seconds.needed_number("value")});
    seconds.finish();
  }
  for (TomlReader& claim : reader.tables("claim")) plan.claims.push_back(read_claim(claim, known));
  reader.finish();
}

/// Without the slashes at its end, the last part of a path.
std::string last_part(std::filesystem::path path) {
  path = std::filesystem::absolute(path).lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

}  // namespace

ExperimentPlan parse_experiment(const ExperimentTexts& texts) {
  ExperimentPlan plan = read_plan(texts);
  if (!texts.expected.empty()) read_expected(plan, texts);
  return plan;
}

ExperimentPlan builtin_experiment(const std::string& name) {
  const auto& files = experiment_files();
  const auto expected = files.find(name + "/expected");
  return parse_experiment({.name = name,
                           .place = "experiments/" + name + "/",
                           .base = files.at(name + "/base"),
                           .plan = files.at(name + "/experiment"),
                           .expected = expected == files.end() ? "" : expected->second});
}

ExperimentPlan load_experiment(const std::filesystem::path& folder) {
  std::error_code ignored;
  require(std::filesystem::is_directory(folder, ignored), folder.string() + ": is not a folder");
  return parse_experiment({.name = last_part(folder),
                           .place = (folder / "").string(),
                           .base = read_file(folder / "base.toml"),
                           .plan = read_file(folder / "experiment.toml"),
                           .expected = std::filesystem::exists(folder / "expected.toml", ignored)
                                           ? read_file(folder / "expected.toml")
                                           : ""});
}

ExperimentPlan at_scale(ExperimentPlan plan, double scale) {
  require(scale > 0.0 && scale <= 1.0, fmt::format("the scale must be above 0 and at most 1, not {}", scale));
  const auto scaled = [&](Index budget) {
    return budget == 0 ? 0 : std::max<Index>(1, std::llround(static_cast<double>(budget) * scale));
  };
  plan.scale = scale;
  plan.comparison.budget = scaled(plan.comparison.budget);
  for (ArmPlan& arm : plan.comparison.arms) {
    if (arm.budget) arm.budget = scaled(*arm.budget);
  }
  for (Claim& claim : plan.claims) {
    if (claim.budget) claim.budget = scaled(*claim.budget);
  }
  return plan;
}

}  // namespace retropg
