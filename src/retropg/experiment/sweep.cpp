#include "retropg/experiment/sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/unread_key.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/experiment/item_list.hpp"

namespace retropg {
namespace {

constexpr double kLevel = 0.95;
constexpr std::size_t kLongestQuote = 80;
constexpr std::size_t kMostSettings = 1000;  // of an arm

void require_free_key(const std::string& key, const std::string& place) {
  require(key != "algo.name", place + "algorithms are compared, not swept; name them in --algos");
  require(key != "train.seed", place + "seeds are not swept; use --seeds and --pick-seeds");
  for (const char* taken : {"train.budget", "train.iterations", "train.steps"}) {
    require(key != taken, place + "every run has the same budget; use --budget");
  }
  for (const char* section : {"env.", "lqr.", "bandit."}) {
    require(!key.starts_with(section),
            place + "an arm may not change the environment: returns would not be comparable");
  }
}

/// The value as the configuration holds it. Throws an Error that begins with `place`.
std::string accepted_value(const std::string& key, const std::string& value, const std::string& place) {
  Configuration configuration;
  const std::string setting = key + "=" + value;
  try {
    apply_setting(configuration, setting);
  } catch (const Error& error) {
    const std::string message = error.what(), prefix = "--set " + one_line(setting, kLongestQuote) + ": ";
    throw Error(place + (message.starts_with(prefix) ? message.substr(prefix.size()) : message));
  }
  return setting_text(configuration, key);
}

Sweep parse_sweep(const std::string& text) {
  const std::string place = fmt::format("sweep {}: ", one_line(text, kLongestQuote));
  const std::size_t equals = text.find('=');
  require(equals != std::string::npos && equals > 0,
          place + "write it as key=value,value, for example optimizer.rate=0.01,0.03");
  Sweep sweep{.key = key_of(text), .values = {}};
  std::vector<std::string> accepted;
  for (const std::string& item : split_items(text.substr(equals + 1), ',')) {
    const std::string value = trimmed(item);
    require(!value.empty(), place + "a value is empty; write it as key=value,value");
    accepted.push_back(accepted_value(sweep.key, value, place));
    require(std::ranges::count(accepted, accepted.back()) == 1,
            fmt::format("{}the value {} is given twice", place, accepted.back()));
    sweep.values.push_back(value);
  }
  require_free_key(sweep.key, place);
  require(sweep.values.size() > 1, place + "a sweep needs at least two values");
  return sweep;
}

bool has_setting(const ArmPlan& arm, const std::string& key) {
  return std::ranges::any_of(arm.settings, [&](const std::string& setting) { return key_of(setting) == key; });
}

/// The arm with those of the settings that it reads.
ArmPlan with_settings(const Configuration& base, const ArmPlan& arm, const std::vector<std::string>& settings) {
  ArmPlan all = arm, result = arm;
  all.settings.insert(all.settings.end(), settings.begin(), settings.end());
  const Configuration configuration = arm_configuration(base, all);
  for (const std::string& setting : settings) {
    if (!reads(configuration, key_of(setting))) continue;
    result.settings.push_back(setting);
    result.label += ":" + setting;
  }
  return result;
}

/// Every combination of the values of the sweeps that do not concern a key of the arm itself.
std::vector<std::vector<std::string>> combinations(const ArmPlan& arm, std::span<const Sweep> sweeps) {
  std::vector<std::vector<std::string>> result(1);
  for (const Sweep& sweep : sweeps) {
    if (has_setting(arm, sweep.key)) continue;
    std::vector<std::vector<std::string>> longer;
    for (const auto& settings : result) {
      for (const std::string& value : sweep.values) {
        longer.push_back(settings);
        longer.back().push_back(sweep.key + "=" + value);
      }
    }
    result = std::move(longer);
    require(result.size() <= kMostSettings, fmt::format("the sweeps make {} settings of arm '{}', more than {}",
                                                        result.size(), arm.label, kMostSettings));
  }
  return result;
}

/// A setting of an arm, by its number in the plan.
struct Setting {
  std::size_t arm;
  ArmPlan plan;
};

void require_readers(std::span<const Sweep> sweeps, const ComparisonPlan& plan, std::span<const Setting> settings,
                     std::span<const Arm> arms) {
  std::vector<Configuration> configurations;
  for (const Arm& arm : arms) configurations.push_back(arm.configuration);
  for (const Sweep& sweep : sweeps) {
    const auto is_swept = [&](const Setting& setting) {
      return has_setting(setting.plan, sweep.key) && !has_setting(plan.arms[setting.arm], sweep.key);
    };
    require(std::ranges::any_of(settings, is_swept),
            fmt::format("sweep {0}: no algorithm of this comparison reads {0}, or those that do set it themselves {1}",
                        sweep.key, keys_read_instead(configurations, sweep.key)));
  }
}

std::vector<Setting> all_settings(const ComparisonPlan& plan, std::span<const Sweep> sweeps) {
  std::vector<Setting> result;
  for (std::size_t i = 0; i < plan.arms.size(); ++i) {
    for (const ArmPlan& setting : sweep_settings(plan.base, plan.arms[i], sweeps)) result.push_back({i, setting});
  }
  return result;
}

/// The settings as arms. Removes those that were left out.
std::vector<Arm> make_setting_arms(const ComparisonPlan& plan, std::vector<Setting>& settings, Refusals& refusals) {
  Configuration base = plan.base;
  base.train.seed = plan.first_seed;
  std::vector<ArmPlan> plans;
  for (const Setting& setting : settings) plans.push_back(setting.plan);
  std::vector<Arm> arms = make_arms(base, plans, plan.budget, refusals, plan.environment);
  std::erase_if(settings, [&](const Setting& setting) {
    return std::ranges::find(arms, setting.plan.label, &Arm::label) == arms.end();
  });
  return arms;
}

}  // namespace

std::vector<Sweep> parse_sweeps(std::span<const std::string> texts) {
  std::vector<Sweep> sweeps;
  for (const std::string& text : texts) {
    sweeps.push_back(parse_sweep(text));
    require(std::ranges::count(sweeps, sweeps.back().key, &Sweep::key) == 1,
            fmt::format("sweep {0}: is given twice; give all values of a key at once", sweeps.back().key));
  }
  return sweeps;
}

std::vector<ArmPlan> sweep_settings(const Configuration& base, const ArmPlan& arm, std::span<const Sweep> sweeps) {
  std::vector<ArmPlan> result;
  std::vector<Configuration> seen;
  for (const auto& settings : combinations(arm, sweeps)) {
    try {
      ArmPlan plan = with_settings(base, arm, settings);
      const Configuration configuration = arm_configuration(base, plan);
      if (std::ranges::find(seen, configuration) != seen.end()) continue;
      seen.push_back(configuration);
      result.push_back(std::move(plan));
    } catch (const Error&) {
      return {arm};  // is invalid itself, which `prepare` reports
    }
  }
  return result;
}

ReadySweep prepare_sweep(const ComparisonPlan& plan, std::span<const Sweep> sweeps, Index pick_seeds) {
  ReadySweep ready{.report = {}, .settings = {}, .first_seed = plan.first_seed, .pick_seeds = pick_seeds};
  constexpr std::uint64_t kSeeds = std::uint64_t{1} << 63;
  require(plan.first_seed < kSeeds - static_cast<std::uint64_t>(pick_seeds), "the last seed must be below 2^63");
  std::vector<Setting> settings = all_settings(plan, sweeps);
  Refusals refusals;
  std::vector<Arm> arms = make_setting_arms(plan, settings, refusals);
  require_readers(sweeps, plan, settings, arms);

  ComparisonPlan report = plan;
  report.arms.clear();
  report.first_seed += static_cast<std::uint64_t>(pick_seeds);
  for (std::size_t k = 0; k < settings.size(); ++k) {
    if (k == 0 || settings[k].arm != settings[k - 1].arm) {
      report.arms.push_back(plan.arms[settings[k].arm]);
      report.arms.back().settings = settings[k].plan.settings;
      ready.settings.emplace_back();
    }
    ready.settings.back().push_back(std::move(arms[k]));
  }
  ready.report = prepare(std::move(report));
  ready.report.refusals = std::move(refusals);
  return ready;
}

PickedSetting pick_setting(const ReadySweep& sweep, std::size_t arm, std::span<const ArmResult> results) {
  PickedSetting result;
  for (std::size_t k = 0; k < sweep.settings[arm].size(); ++k) {
    result.tried.push_back({.label = sweep.settings[arm][k].label, .areas = {}});
    if (sweep.settings[arm].size() == 1) return result;
    TriedSetting& tried = result.tried.back();
    const Index own = sweep.settings[arm][k].configuration.train.budget, common = sweep.report.plan.budget;
    const auto budget = static_cast<double>(common == 0 ? own : std::min(own, common));
    for (const Curve& curve : results[k].curves) tried.areas.push_back(area_under_curve(curve, budget));
    tried.area = mean_estimate(tried.areas, kLevel);
    if (tried.area.mean > result.tried[result.picked].area.mean) result.picked = k;
  }
  return result;
}

void set_picks(ReadySweep& sweep, std::span<const std::size_t> picks) {
  for (std::size_t i = 0; i < picks.size(); ++i) {
    Configuration configuration = sweep.settings[i][picks[i]].configuration;
    configuration.train.seed = sweep.report.plan.first_seed;
    sweep.report.arms[i].configuration = std::move(configuration);
  }
}

}  // namespace retropg
