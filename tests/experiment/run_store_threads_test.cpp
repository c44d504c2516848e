#include "retropg/experiment/run_store.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "retropg/experiment/comparison.hpp"
#include "report/comparison_output.hpp"
#include "retropg/storage/examination.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/many_threads.hpp"
#include "support/run_comparison.hpp"

namespace retropg::test {
namespace {

ReadyComparison small(Index budget = 103) {
  ComparisonPlan plan{
      .title = "small", .base = {}, .arms = parse_arm_list("rpg,bpo:algo.batch=7"), .seeds = 3, .budget = budget};
  plan.base.env.id = "LinearQuadratic-v0";
  plan.threads = 2;
  return prepare(plan);
}

void ignore(const std::string&) {}

/// The report of the comparison with its runs in a folder.
std::string report(const ReadyComparison& ready, const std::filesystem::path& folder, Keep keep = {}) {
  const ManyThreads many;
  RunStore store(folder, ready.arms, {.keep = keep, .warn = ignore});
  return app::comparison_json(run_comparison(ready, {}, &store)).dump();
}

TEST(RunStore, ChangesNoResult) {
  const TemporaryFolder folder;
  const ReadyComparison ready = small();
  const std::string in_memory = app::comparison_json(run_comparison(ready)).dump();
  EXPECT_EQ(report(ready, folder / "runs"), in_memory);
  const std::vector<std::string> names = listing(folder.path());
  EXPECT_EQ(report(ready, folder / "runs"), in_memory) << "from what is there";
  EXPECT_EQ(listing(folder.path()), names);
}

TEST(RunStore, RunsOnlyWhatIsMissing) {
  const TemporaryFolder folder;
  const ReadyComparison ready = small();
  const std::string all = report(ready, folder / "runs");
  std::filesystem::remove_all(folder / "runs/rpg/2");
  const std::string kept = read_file(folder / "runs/rpg/1/timing.jsonl");
  RunStore store(folder / "runs", ready.arms, {.warn = ignore});
  std::vector<Index> done;
  double last = 0.0;
  const Comparison comparison = run_comparison(
      ready,
      [&](const RunsDone& runs) {
        if (done.empty() || done.back() != runs.done) done.push_back(runs.done);
        const double now = static_cast<double>(runs.done) + runs.under_way;
        EXPECT_GE(now, last) << "no run counts less, nor twice, when it is done";
        EXPECT_LE(now, static_cast<double>(runs.total));
        last = now;
        return true;
      },
      &store);
  EXPECT_EQ(done, (std::vector<Index>{5, 6}));
  EXPECT_EQ(app::comparison_json(comparison).dump(), all);
  EXPECT_EQ(read_file(folder / "runs/rpg/1/timing.jsonl"), kept);
}

TEST(RunStore, GoesOnWithARunUnderWay) {
  const TemporaryFolder folder;
  const ReadyComparison ready = small(400000);  // more than a moment
  {
    const ManyThreads many;
    RunStore store(folder / "runs", ready.arms, {.warn = ignore, .stopped_by = [] { return "a test"; }});
    const auto begun = [&] { return std::filesystem::exists(folder / "runs/rpg/1/checkpoints"); };
    expect_throw<ExperimentStopped>(
        [&] {
          run_comparison(
              ready, [&](const RunsDone&) { return !begun(); }, &store);
        },
        "stopped after 0 of 6 runs");
  }
  EXPECT_EQ(read_file(folder / "runs/rpg/1/status"), "interrupted: a test\n");
  const ReadyComparison shorter = small(1030);
  expect_throw([&] { report(shorter, folder / "runs"); }, "was made with train.budget = 400000, not 1030");
}

TEST(RunStore, BeginsAgainWhatStoppedBeforeItsFirstCheckpoint) {
  const TemporaryFolder folder;
  const ReadyComparison ready = small();
  const std::string all = report(ready, folder / "runs");
  const std::vector<std::string> names = listing(folder.path());
  const std::filesystem::path run = folder / "runs/rpg/2";
  write_file(run / "status", "running\n");
  write_file(run / "progress.csv", "torn");
  EXPECT_EQ(report(ready, folder / "runs"), all);
  std::filesystem::remove(run / "status");
  std::filesystem::remove(run / "config.toml");
  write_file(run / "config.toml.tmp", "torn");
  EXPECT_EQ(report(ready, folder / "runs"), all);
  EXPECT_EQ(listing(folder.path()), names);

  write_file(run / "status", "running\n");
  write_file(run / "notes.txt", "mine");
  expect_throw([&] { report(ready, folder / "runs"); }, "files that are not the run's");
  EXPECT_EQ(read_file(run / "notes.txt"), "mine");
}

TEST(RunStore, KeepsAFinishedRunWhoseStatusIsLost) {
  const TemporaryFolder folder;
  const ReadyComparison ready = small();
  const std::string all = report(ready, folder / "runs");
  const std::filesystem::path run = folder / "runs/rpg/2";
  write_file(run / "status", "");
  expect_throw([&] { report(ready, folder / "runs"); }, "looks finished, but its status does not say so");
  EXPECT_TRUE(std::filesystem::exists(run / "policy/final.safetensors"));
  write_file(run / "status", "done\n");
  EXPECT_EQ(report(ready, folder / "runs"), all);
}

TEST(RunStore, TakesOrBeginsAgainAShortRunThatWasKilledBeforeItsStatus) {
  const TemporaryFolder folder;
  const ReadyComparison ready = small();
  const std::string all = report(ready, folder / "runs");
  const std::filesystem::path run = folder / "runs/rpg/2";
  const std::string timing = read_file(run / "timing.jsonl");
  std::filesystem::remove(run / "status");
  EXPECT_EQ(report(ready, folder / "runs"), all);
  EXPECT_EQ(read_file(run / "status"), "done\n");
  EXPECT_EQ(read_file(run / "timing.jsonl"), timing) << "not run again";

  std::filesystem::remove(run / "status");
  write_file(run / "progress.csv", "torn");
  EXPECT_EQ(report(ready, folder / "runs"), all);
  EXPECT_EQ(read_file(run / "status"), "done\n");
}

TEST(RunStore, RemovesTheRestOfWhatItWasKilledWhileRemoving) {
  const TemporaryFolder folder;
  const ReadyComparison ready = small();
  const std::string all = report(ready, folder / "runs", {.policies = false});
  const std::vector<std::string> names = listing(folder.path());
  const std::filesystem::path run = folder / "runs/rpg/2";
  for (const char* name : {"policy.tmp", "checkpoints.tmp"}) {
    std::filesystem::create_directory(run / name);
    write_file(run / name / "final.safetensors", "whole");
    EXPECT_TRUE(examine_run(run).well());
  }
  std::filesystem::create_directory(run / "policy");
  write_file(run / "policy/best.safetensors", "whole");
  write_file(run / "policy/notes.txt", "mine");
  EXPECT_EQ(report(ready, folder / "runs", {.policies = false}), all);
  EXPECT_EQ(read_file(run / "policy/notes.txt"), "mine");
  std::filesystem::remove_all(run / "policy");
  EXPECT_EQ(listing(folder.path()), names);
}

TEST(RunStore, RefusesADamagedRunByName) {
  const TemporaryFolder folder;
  const ReadyComparison ready = small();
  report(ready, folder / "runs");
  const std::filesystem::path file = folder / "runs/rpg/2/progress.csv";
  const std::string whole = read_file(file);
  std::string wrong_row = whole, cut = whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1);
  wrong_row.replace(whole.find("\n2,") + 1, 1, "3");
  for (const auto& [text, problem] : {std::pair{cut, "rpg/2/progress.csv: has lost lines: the run was done after"},
                                      {whole.substr(0, whole.size() - 1), "rpg/2/progress.csv: line 12 is damaged"},
                                      {wrong_row, "rpg/2/progress.csv: line 3 is damaged"},
                                      {std::string(), "rpg/2/progress.csv: has lost lines"}}) {
    write_file(file, text);
    expect_throw([&] { report(ready, folder / "runs"); }, problem);
    EXPECT_EQ(read_file(file), text) << "left as it was";
  }
  write_file(file, whole);
  std::filesystem::remove(folder / "runs/rpg/2/timing.jsonl");
  expect_throw([&] { report(ready, folder / "runs"); }, "timing.jsonl");
}

TEST(RunStore, KeepsWhatItIsToldTo) {
  const ReadyComparison ready = small();
  for (const bool policies : {false, true}) {
    for (const bool metrics : {false, true}) {
      for (const bool checkpoints : {false, true}) {
        const TemporaryFolder folder;
        report(ready, folder / "runs", {.policies = policies, .metrics = metrics, .checkpoints = checkpoints});
        const std::filesystem::path run = folder / "runs/rpg/1";
        EXPECT_TRUE(std::filesystem::exists(run / "progress.csv"));
        EXPECT_EQ(std::filesystem::exists(run / "policy/best.safetensors"), policies);
        EXPECT_EQ(std::filesystem::exists(run / "policy"), policies);
        EXPECT_EQ(std::filesystem::exists(run / "metrics.jsonl"), metrics);
        EXPECT_EQ(std::filesystem::exists(run / "checkpoints"), checkpoints);
        if (!checkpoints) continue;
        ResumeChanges longer;
        longer.budget = 200;
        EXPECT_LT(resume_run(run, longer, ignore).iteration, 11) << "before the batch that the budget cut";
      }
    }
  }
}

TEST(RunStore, TriesARunAgainThatFailed) {
  const TemporaryFolder folder;
  Arm broken{.label = "broken", .configuration = {}};
  broken.configuration.optimizer.kind = "constant";
  broken.configuration.optimizer.rate = 1e100;
  broken.configuration.train.iterations = 10;
  const std::vector<Arm> arms{broken};
  for (const bool checkpoints : {false, true, true}) {
    RunStore store(folder / "runs", arms, {.keep = {.checkpoints = checkpoints}, .warn = ignore});
    expect_throw<RunError>([&] { run_arms(arms, 1, shared_seeds(1), 1, {}, &store); }, "arm 'broken', seed 1");
    EXPECT_EQ(std::filesystem::exists(folder / "runs/broken/1/status"), checkpoints);
  }
  EXPECT_TRUE(read_file(folder / "runs/broken/1/status").starts_with("failed: "));
}

}  // namespace
}  // namespace retropg::test
