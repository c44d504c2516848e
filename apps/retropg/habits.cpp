#include "habits.hpp"

#include <algorithm>
#include <string_view>

namespace retropg::app {
namespace {

struct Habit {
  std::string_view flag;  // with dashes; underscores are taken for them
  std::string_view here;  // begins with a flag; of several, the first that the command has counts
};

constexpr Habit kHabits[] = {
    {"--lr", "--set optimizer.rate=VALUE, or nes.gain=VALUE for nes"},
    {"--learning-rate", "--set optimizer.rate=VALUE, or nes.gain=VALUE for nes"},
    {"--step-size", "--set optimizer.rate=VALUE, or nes.gain=VALUE for nes"},
    {"--optimizer", "--set optimizer.kind=NAME"},
    {"--timesteps", "--steps COUNT"},
    {"--total-timesteps", "--steps COUNT"},
    {"--n-timesteps", "--steps COUNT"},
    {"--num-timesteps", "--steps COUNT"},
    {"--max-steps", "--steps COUNT"},
    {"--timesteps", "--budget COUNT, in trajectories"},
    {"--total-timesteps", "--budget COUNT, in trajectories"},
    {"--steps", "--budget COUNT, in trajectories"},
    {"--iterations", "--budget COUNT, in trajectories"},
    {"--epochs", "--iterations COUNT"},
    {"--n-epochs", "--iterations COUNT"},
    {"--episodes", "--budget COUNT"},
    {"--n-episodes", "--budget COUNT"},
    {"--n-episodes", "--episodes COUNT"},
    {"--n-eval-episodes", "--episodes COUNT"},
    {"--eval-episodes", "--episodes COUNT"},
    {"--batch-size", "--batch COUNT, in trajectories"},
    {"--n-steps", "--batch COUNT, in trajectories"},
    {"--gamma", "--set env.discount=VALUE"},
    {"--discount", "--set env.discount=VALUE"},
    {"--horizon", "--set env.horizon=COUNT"},
    {"--max-episode-steps", "--set env.horizon=COUNT"},
    {"--env-id", "--env NAME"},
    {"--environment", "--env NAME"},
    {"--algorithm", "--algo NAME"},
    {"--algorithm", "--algos LIST"},
    {"--net-arch", "--set policy.hidden=[32,32]"},
    {"--baseline", "--set algo.baseline=NAME"},
    {"--hyperparams", "--set KEY=VALUE"},
    {"--seeds", "--runs COUNT"},
    {"--seeds", "--seed NUMBER, of one run; `retropg compare` has --seeds"},
    {"--n-envs", "--set train.lanes=COUNT"},
    {"--num-envs", "--set train.lanes=COUNT"},
    {"--n-jobs", "--threads COUNT"},
    {"--num-threads", "--threads COUNT"},
    {"--log-folder", "--out FOLDER"},
    {"--tensorboard-log", "--out FOLDER"},
    {"--output", "--out FOLDER"},
};

}  // namespace

std::optional<std::string> written_here(const std::string& flag, std::span<const std::string> known) {
  std::string dashed = flag;
  std::ranges::replace(dashed, '_', '-');
  for (const Habit& habit : kHabits) {
    const std::string_view own = habit.here.substr(0, habit.here.find(' '));
    if (habit.flag == dashed && std::ranges::find(known, own) != known.end()) return std::string(habit.here);
  }
  return std::nullopt;
}

}  // namespace retropg::app
