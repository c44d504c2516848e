#include <fmt/format.h>

#include "commands.hpp"
#include "json_text.hpp"
#include "progress.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/statistics/statistics.hpp"
#include "retropg/storage/trained_policy.hpp"
#include "terminal.hpp"
#include "threads.hpp"
#include "wrap.hpp"
#include "say.hpp"

namespace retropg::app {

int eval_command(const EvalArguments& arguments) {
  require(arguments.episodes >= 2 && arguments.episodes <= 10'000'000,
          fmt::format("--episodes must be a whole number from 2 to 10000000, not {}", arguments.episodes));
  require(arguments.seed >= 0, fmt::format("--seed must not be negative, but is {}", arguments.seed));
  const TrainedPolicy trained = load_trained_policy(arguments.path, arguments.policy);
  nlohmann::ordered_json json = {{"policy", trained.file.string()},
                                 {"environment", trained.saved.environment},
                                 {"episodes", arguments.episodes},
                                 {"seed", arguments.seed}};
  std::string text = fmt::format("{} on {}, {} episodes each, discounted return with 95 % Student t interval\n",
                                 trained.file.string(), trained.saved.environment, arguments.episodes);
  Progress progress;
  for (const bool deterministic : {false, true}) {
    const char* name = deterministic ? "deterministic" : "stochastic";
    const auto show = [&](Index done) {
      if (!progress.due()) return;
      const double share = static_cast<double>(done) / static_cast<double>(arguments.episodes);
      progress.show(0.5 * (share + (deterministic ? 1.0 : 0.0)),
                    fmt::format("{}: {} of {} episodes", name, done, arguments.episodes));
    };
    const std::vector<double> returns = evaluate(trained, {.episodes = arguments.episodes,
                                                           .seed = static_cast<std::uint64_t>(arguments.seed),
                                                           .threads = threads_of_flag(arguments.threads),
                                                           .deterministic = deterministic,
                                                           .progress = show});
    const Interval interval = mean_interval(returns, 0.95);
    json[name] = {{"mean", mean(returns)},
                  {"low", interval.low},
                  {"high", interval.high},
                  {"standard_deviation", standard_deviation(returns)}};
    text += fmt::format("  {:<14} {:.3f}  ({:.3f} to {:.3f}), standard deviation {:.3f}\n", name, mean(returns),
                        interval.low, interval.high, standard_deviation(returns));
  }
  progress.finish();
  show("{}", arguments.json ? json_text(json) + "\n" : fitted(text, output_width()));
  return 0;
}

}  // namespace retropg::app
