#include "retropg/storage/failure_file.hpp"

#include "retropg/storage/safetensors.hpp"

namespace retropg {
namespace {

constexpr const char* kFormat = "retropg-failure-1";

}  // namespace

void save_failure(const Place& path, const BrokenTrajectory& failure, std::uint64_t seed) {
  const BrokenRollout& rollout = failure.rollout();
  write_safetensors(
      path, {.metadata = {{"format", kFormat}, {"message", failure.what()}, {"environment", rollout.environment}},
             .values = {{"behavior", rollout.behavior},
                        {"spread", {rollout.spread}},
                        {"observations", rollout.steps.observations},
                        {"actions", rollout.steps.actions},
                        {"rewards", rollout.steps.rewards}},
             .counts = {{"seed", {static_cast<Index>(seed)}},
                        {"iteration", {rollout.iteration}},
                        {"trajectory", {rollout.trajectory}},
                        {"step", {rollout.step}}}});
}

SavedFailure load_failure(const Place& path) {
  const Tensors tensors = read_safetensors(path);
  const auto found = [&](const auto& map, const std::string& key) {
    const auto entry = map.find(key);
    require(entry != map.end(), path.string() + ": is not a reproduction file (no '" + key + "')");
    return entry->second;
  };
  const auto one = [&](const auto& map, const std::string& key) {
    const auto numbers = found(map, key);
    require(numbers.size() == 1, path.string() + ": '" + key + "' should be one number");
    return numbers[0];
  };
  require(found(tensors.metadata, "format") == kFormat, path.string() + ": is not a reproduction file");
  SavedFailure failure;
  failure.message = found(tensors.metadata, "message");
  failure.seed = static_cast<std::uint64_t>(one(tensors.counts, "seed"));
  failure.iteration = one(tensors.counts, "iteration");
  failure.trajectory = one(tensors.counts, "trajectory");
  failure.step = one(tensors.counts, "step");
  failure.spread = one(tensors.values, "spread");
  failure.behavior = found(tensors.values, "behavior");
  return failure;
}

std::string breaks_again(TrainingRun& run, const SavedFailure& failure) {
  const Workers one_thread;
  run.make_pilot();
  Collector collector(run.environment(), run.trainer().policy(), {.seed = failure.seed}, one_thread);
  try {
    collector.collect_steps(failure.behavior, failure.iteration, failure.trajectory, 1, failure.spread);
  } catch (const BrokenTrajectory& broken) {
    return broken.what();
  }
  return "";
}

}  // namespace retropg
