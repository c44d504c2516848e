#include "retropg/experiment/comparison_json.hpp"

#include <nlohmann/json.hpp>

#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

using Json = nlohmann::ordered_json;  // writes non-finite numbers as null

Json json(const MeanEstimate& estimate) {
  return {{"mean", estimate.mean},
          {"standard_error", estimate.standard_error},
          {"normal_half", estimate.normal},
          {"t_half", estimate.student_t}};
}

Json json(const Interval& interval) {
  return Json::array({interval.low, interval.high});
}

Json json(std::optional<double> value) {
  return value ? Json(*value) : Json();
}

Json json(const ComparedArm& arm, const Comparison& comparison, bool clocks) {
  Json areas = Json::array();
  for (const RunScore& score : arm.scores) areas.push_back(score.area);
  Json result = {{"arm", arm.label},
                 {"algorithm", arm.configuration.algo.name},
                 {"budget", arm.budget},
                 {"reference", comparison.arms[arm.reference].label},
                 {"area", json(arm.area)},
                 {"areas", areas},
                 {"iqm", arm.interquartile_area},
                 {"iqm_interval", json(arm.interquartile_interval)},
                 {"start", json(arm.start)},
                 {"end", json(arm.end)},
                 {"improvement", json(arm.improvement)},
                 {"improves", arm.improves},
                 {"fall", json(arm.fall)},
                 {"worst_fall", arm.worst_fall},
                 {"steps", arm.steps}};
  if (comparison.plan.threshold) {
    result["median_reached"] = json(arm.median_reached);
    result["never_reached"] = arm.never_reached;
    result["curve_reached"] = json(arm.curve_reached);
  }
  if (arm.expected) {
    result["expected_area"] = arm.expected->mean;
    result["expected_standard_error"] = arm.expected->standard_error;
    result["agrees"] = arm.agrees;
  }
  if (clocks) result["seconds"] = mean(arm.seconds);
  return result;
}

Json json(const ArmPair& pair, const Comparison& comparison) {
  return {{"candidate", comparison.arms[pair.candidate].label},
          {"reference", comparison.arms[pair.reference].label},
          {"difference", pair.difference},
          {"welch_interval", json(pair.welch)},
          {"paired_interval", json(pair.paired)},
          {"probability", pair.probability},
          {"probability_interval", json(pair.probability_interval)},
          {"speedup", pair.speedup.ratio},
          {"speedup_interval", json(pair.speedup.paper)},
          {"speedup_bootstrap", json(pair.speedup.bootstrap)}};
}

}  // namespace

std::string comparison_json(const Comparison& comparison, bool clocks) {
  const ComparisonPlan& plan = comparison.plan;
  Json arms = Json::array(), pairs = Json::array();
  for (const ComparedArm& arm : comparison.arms) arms.push_back(json(arm, comparison, clocks));
  for (const ArmPair& pair : comparison.pairs) pairs.push_back(json(pair, comparison));
  Json result = {{"title", plan.title},
                 {"environment", comparison.arms[0].configuration.env.id},
                 {"budget", plan.budget},
                 {"seeds", plan.seeds},
                 {"first_seed", plan.first_seed},
                 {"threshold", json(plan.threshold)},
                 {"arms", arms},
                 {"pairs", pairs}};
  if (clocks) result["seconds"] = comparison.seconds;
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);  // a label may hold any bytes
}

}  // namespace retropg
