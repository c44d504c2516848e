#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "retropg/core/error.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/run_folder.hpp"
#include "support/configuration_text.hpp"
#include "support/files.hpp"
#include "support/power_loss.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

/// Memory instead of a disk, where there is such a folder: thousands of files are written.
std::filesystem::path quick_place() {
  return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
}

using Files = std::map<std::string, std::string>;

/// What the seed determines.
Files determined(const std::filesystem::path& folder) {
  Files files;
  for (const char* name : {"config.toml", "progress.csv", "metrics.jsonl", "evaluations.csv", "evaluations.npz",
                           "policy/best.safetensors", "policy/final.safetensors"}) {
    files[name] = read_file(folder / name);
  }
  return files;
}

Configuration short_run(const std::string& algorithm, Index budget) {
  return configured({"algo.name=" + algorithm, "env.horizon=12", "algo.batch=4", "algo.window=6",
                     "train.budget=" + std::to_string(budget), "train.threads=1", "checkpoint.every=2",
                     "train.eval_every=3", "checkpoint.seconds=0", "policy.evidence=steps"});
}

void train_in(RunFolder& folder, TrainingRun& run) {
  folder.finish(run.train([&](const IterationRecord& record) {
    folder.record(record);
    return true;
  }));
}

/// Trains in the folder; returns how many calls it took until the folder was whole.
std::size_t train_anew(const std::filesystem::path& path, const Configuration& configuration,
                       const std::vector<disk::Call>& calls) {
  TrainingRun run(configuration);
  make_output_folder(path);
  RunFolder folder(path, run, "x", [](const std::string& line) { ADD_FAILURE() << line; });
  const std::size_t whole = calls.size();
  train_in(folder, run);
  return whole;
}

void train_on(const std::filesystem::path& path, const ResumeChanges& changes) {
  const ResumedRun resumed = resume_run(path, changes, [](const std::string&) {});
  train_in(*resumed.folder, *resumed.run);
}

/// Cuts the power before each of the calls and goes on in every folder that may then be found. Only before call `whole`
/// may a run be lost. Returns the number of folders that were gone on with.
Index cut_everywhere(const std::string& root, const std::vector<disk::Call>& calls, std::size_t first,
                     std::size_t whole, const ResumeChanges& changes, const Files& expected) {
  ForgetfulDisk disk;
  std::mt19937_64 random(20260101);
  Index resumed = 0;
  for (std::size_t k = 0; k <= calls.size(); ++k) {
    for (const double luck : {0.0, 1.0, 0.5, 0.5, 0.9}) {
      if (k < first) continue;
      const TemporaryFolder found(quick_place());
      disk.after_power_cut(root, found.path(), luck, random);
      SCOPED_TRACE("power cut before call " + std::to_string(k) + " of " + std::to_string(calls.size()) + ", luck " +
                   std::to_string(luck));
      if (k == calls.size()) {
        EXPECT_EQ(determined(found / "r"), expected) << "a finished run is there without resuming";
        EXPECT_EQ(read_file(found / "r/status"), "done\n");
      }
      try {
        train_on(found / "r", changes);
        EXPECT_EQ(determined(found / "r"), expected);
        ++resumed;
      } catch (const Error& error) {
        EXPECT_LT(k, whole) << "only a run that had not begun may be lost: " << error.what();
      }
      if (testing::Test::HasFailure()) return resumed;
    }
    if (k < calls.size()) disk.apply(calls[k]);
  }
  return resumed;
}

class PowerLoss : public testing::TestWithParam<const char*> {
 protected:
  Files uninterrupted(Index budget) const {
    const TemporaryFolder folder(quick_place());
    train_anew(folder / "r", short_run(GetParam(), budget), {});
    return determined(folder / "r");
  }
};

TEST_P(PowerLoss, AtAnyMomentLeavesARunThatCanBeResumed) {
  const TemporaryFolder folder(quick_place());
  RecordingFileSystem recording(folder.path());
  std::size_t whole = 0;
  {
    const ReplacedFileSystem replaced(recording);
    whole = train_anew(folder / "r", short_run(GetParam(), 46), recording.calls);
  }
  const Index resumed = cut_everywhere(folder.path().string(), recording.calls, 0, whole, {}, uninterrupted(46));
  EXPECT_GT(resumed, 200);
}

TEST_P(PowerLoss, WhileARunIsResumedOrExtendedCostsNothingEither) {
  const TemporaryFolder folder(quick_place());
  train_anew(folder / "r", short_run(GetParam(), 46), {});  // 46 is no multiple of a batch: the last one was cut short
  const ResumeChanges longer{.threads = {}, .lanes = {}, .iterations = {}, .budget = 70, .steps = {}};
  RecordingFileSystem recording(folder.path());
  const std::size_t before = recording.calls.size();
  {
    const ReplacedFileSystem replaced(recording);
    train_on(folder / "r", longer);
  }
  const Index resumed = cut_everywhere(folder.path().string(), recording.calls, before, 0, longer, uninterrupted(70));
  EXPECT_GT(resumed, 200);
}

INSTANTIATE_TEST_SUITE_P(Methods, PowerLoss, testing::Values("rpg", "svrpg"));

}  // namespace
}  // namespace retropg::test
