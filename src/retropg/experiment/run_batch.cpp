#include "retropg/experiment/run_batch.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/core/random.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/configuration/train.hpp"

namespace retropg {

namespace {

Curve run_curve(const Arm& arm, std::uint64_t seed, const std::function<bool()>& go_on, RunResult& result) {
  Configuration configuration = arm.configuration;
  configuration.train.seed = seed;
  configuration.train.threads = 1;
  Curve curve;
  try {
    result = train(configuration, [&](const IterationRecord& record) {
      if (!std::isnan(record.return_mean)) {
        curve.x.push_back(static_cast<double>(record.trajectories));
        curve.y.push_back(record.return_mean);
      }
      return go_on();
    });
  } catch (const Error& error) {
    throw RunError("arm '" + arm.label + "', seed " + std::to_string(seed) + ": " + error.what());
  }
  if (curve.x.empty() && !result.interrupted) {
    throw RunError("arm '" + arm.label + "', seed " + std::to_string(seed) +
                   ": no iteration sampled a trajectory from the current policy");
  }
  return curve;
}

}  // namespace

SeedRule independent_seeds(std::uint64_t seed) {
  return [seed](Index arm, Index run) {
    const auto words = random_block({.seed = seed,
                                     .purpose = Purpose::kRunSeed,
                                     .iteration = static_cast<std::uint32_t>(arm),
                                     .trajectory = static_cast<std::uint32_t>(run)},
                                    0);
    return ((static_cast<std::uint64_t>(words[1]) << 32) | words[0]) >> 1;  // TOML integers have 63 bits
  };
}

SeedRule shared_seeds(std::uint64_t first) {
  return [first](Index, Index run) { return first + static_cast<std::uint64_t>(run); };
}

std::vector<ArmResult> run_arms(std::span<const Arm> arms, Index runs, const SeedRule& seed, Index threads,
                                const RunProgress& progress) {
  const auto count = as_size(runs);
  std::vector<ArmResult> results(arms.size());
  for (ArmResult& result : results) {
    result.curves.resize(count);
    result.seconds.resize(count);
  }
  std::vector<std::size_t> order(arms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return arms[a].cost > arms[b].cost; });

  std::mutex mutex;
  Index next = 0, done = 0;
  std::atomic<bool> go_on = true;
  const Index total = as_index(arms.size()) * runs;
  const auto keep_going = [&] {  // after every iteration; skips the callback if another thread is in it
    if (const std::unique_lock lock(mutex, std::try_to_lock); lock && progress && !progress(done, total)) go_on = false;
    return go_on.load();
  };
  // Each worker takes the next run from the queue; results do not depend on which worker runs it.
  Workers(threads).for_ranges(threads, 1, [&](Index, Index) {
    while (true) {
      Index job = 0;
      {
        const std::lock_guard lock(mutex);
        if (!go_on || next == total) return;
        job = next++;
      }
      const std::size_t arm = order[as_size(job / runs)];
      const auto run = as_size(job % runs);
      RunResult result;
      try {
        results[arm].curves[run] = run_curve(arms[arm], seed(as_index(arm), as_index(run)), keep_going, result);
      } catch (...) {
        go_on = false;  // stop the other runs early
        throw;
      }
      if (result.interrupted) return;
      results[arm].seconds[run] = result.seconds;
      const std::lock_guard lock(mutex);
      results[arm].steps += result.steps;
      ++done;
      if (progress && !progress(done, total)) go_on = false;
    }
  });
  if (done < total) throw RunError("stopped after " + std::to_string(done) + " of " + std::to_string(total) + " runs");
  return results;
}

}  // namespace retropg
