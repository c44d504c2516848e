#include "retropg/experiment/run_batch.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/configuration/train.hpp"

namespace retropg {

namespace {

constexpr Index kParts = 1'000'000;  // of a run; counts of them add up without rounding

/// Nothing if the run was stopped.
std::optional<FinishedRun> run_in_memory(const Arm& arm, std::uint64_t seed, const GoOn& go_on) {
  Configuration configuration = arm.configuration;
  configuration.train.seed = seed;
  configuration.train.threads = 1;
  FinishedRun run;
  try {
    const RunResult result = TrainingRun(configuration, arm.environment).train([&](const IterationRecord& record) {
      add_point(run.curve, static_cast<double>(record.trajectories), record.return_mean);
      return go_on(share_done(record, configuration.train));
    });
    if (result.interrupted) return std::nullopt;
    run.seconds = result.seconds;
    run.steps = result.steps;
    return run;
  } catch (const Error& error) {
    throw RunError("arm '" + arm.label + "', seed " + std::to_string(seed) + ": " + error.what());
  }
}

/// The runs of an experiment: which are done, and which is next.
class Runs {
 public:
  Runs(std::span<const Arm> arms, Index runs, const SeedRule& seed, const RunProgress& progress)
      : arms_(arms), runs_(as_size(runs)), seed_(seed), progress_(progress), results_(arms.size()) {
    for (ArmResult& result : results_) {
      result.curves.resize(runs_);
      result.seconds.resize(runs_);
    }
    std::vector<std::size_t> order(arms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return arms[a].cost > arms[b].cost; });
    for (const std::size_t arm : order) {
      for (std::size_t run = 0; run < runs_; ++run) missing_.push_back({arm, run});
    }
  }

  struct Job {
    std::size_t arm, run;
  };
  const Arm& arm(const Job& job) const { return arms_[job.arm]; }
  std::uint64_t seed(const Job& job) const { return seed_(as_index(job.arm), as_index(job.run)); }
  Index total() const { return std::ssize(arms_) * as_index(runs_); }
  Index done() const { return done_; }
  std::vector<ArmResult> take_results() { return std::move(results_); }

  /// Takes what a store has.
  void find(const RunStore& store, const Workers& workers) {
    std::vector<std::optional<FinishedRun>> found(missing_.size());
    workers.for_ranges(std::ssize(missing_), 1, [&](Index first, Index last) {
      for (auto i = as_size(first); i < as_size(last); ++i) found[i] = store.find(arm(missing_[i]), seed(missing_[i]));
    });
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) {
        add(missing_[i], std::move(*found[i]));
      } else {
        jobs.push_back(missing_[i]);
      }
    }
    missing_ = std::move(jobs);
    report();
  }

  std::optional<Job> next() {
    const std::lock_guard lock(mutex_);
    if (!go_on_ || next_ == missing_.size()) return std::nullopt;
    return missing_[next_++];
  }

  /// After every iteration, which did these parts of a run; skips the callback if another thread is in it.
  bool keep_going(Index parts) {
    under_way_ += parts;
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) report();
    return go_on_;
  }

  void stop() { go_on_ = false; }

  /// `parts` is the sum of what `keep_going` was told of the run.
  void finish(const Job& job, Index parts, FinishedRun run) {
    const std::lock_guard lock(mutex_);
    under_way_ -= parts;
    add(job, std::move(run));
    report();
  }

 private:
  void add(const Job& job, FinishedRun run) {
    if (run.curve.x.empty()) {
      throw RunError("arm '" + arm(job).label + "', seed " + std::to_string(seed(job)) +
                     ": no iteration has a return, because every trajectory was dropped as broken");
    }
    ArmResult& result = results_[job.arm];
    result.curves[job.run] = std::move(run.curve);
    result.seconds[job.run] = run.seconds;
    result.steps += run.steps;
    ++done_;
  }
  void report() {
    const double under_way = static_cast<double>(under_way_) / static_cast<double>(kParts);
    if (progress_ && !progress_({.done = done_, .total = total(), .under_way = under_way})) go_on_ = false;
  }

  std::span<const Arm> arms_;
  std::size_t runs_;
  const SeedRule& seed_;
  const RunProgress& progress_;
  std::vector<ArmResult> results_;
  std::vector<Job> missing_;  // expensive ones first
  std::size_t next_ = 0;
  Index done_ = 0;
  std::atomic<Index> under_way_ = 0;  // parts of runs that are not done
  std::atomic<bool> go_on_ = true;
  std::mutex mutex_;
};

/// Takes runs until none is left. Results do not depend on which worker takes which.
void work(Runs& runs, const RunStore* store) {
  std::optional<StoredRuns> stored;
  if (store != nullptr) stored.emplace(*store);
  try {
    while (const auto job = runs.next()) {
      const auto parts = std::make_shared<Index>(0);  // of this run, which may be written while the next one runs
      const auto go_on = [&runs, parts](double share) {
        const auto now = static_cast<Index>(share * static_cast<double>(kParts));
        return runs.keep_going(now - std::exchange(*parts, now));
      };
      const auto finish = [&runs, job = *job, parts](FinishedRun run) { runs.finish(job, *parts, std::move(run)); };
      if (stored) {
        stored->run(runs.arm(*job), runs.seed(*job), go_on, finish);
      } else if (auto run = run_in_memory(runs.arm(*job), runs.seed(*job), go_on)) {
        finish(std::move(*run));
      }
    }
    if (stored) stored->wait();
  } catch (...) {
    runs.stop();  // the others too, early
    throw;
  }
}

}  // namespace

SeedRule shared_seeds(std::uint64_t first) {
  return [first](Index, Index run) { return first + static_cast<std::uint64_t>(run); };
}

ExperimentStopped::ExperimentStopped(Index runs_done, Index runs)
    : RunError("stopped after " + std::to_string(runs_done) + " of " + std::to_string(runs) + " runs"),
      done(runs_done),
      total(runs) {}

std::vector<ArmResult> run_arms(std::span<const Arm> arms, Index runs, const SeedRule& seed, Index threads,
                                const RunProgress& progress, RunStore* store) {
  Runs all(arms, runs, seed, progress);
  const Workers workers(threads);
  if (store != nullptr) all.find(*store, workers);
  workers.for_ranges(threads, 1, [&](Index, Index) { work(all, store); });
  if (all.done() < all.total()) throw ExperimentStopped(all.done(), all.total());
  return all.take_results();
}

}  // namespace retropg
