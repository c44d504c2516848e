#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/storage/failure_file.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/run_folder.hpp"
#include "support/files.hpp"
#include "support/session.hpp"

namespace retropg::test {

/// The folder of a small run with every file that a run can have, in the memory if there is such a file system, and an
/// input of the target: the number of a file and what it holds instead.
class RunFolderSample {
 public:
  RunFolderSample() : folder_(memory()), path_(folder_ / "run") {
    TrainingRun run(configured({"env.id=LQR", "env.horizon=3", "algo.batch=3", "algo.window=2", "train.iterations=4",
                                "train.threads=1", "train.lanes=4", "train.eval_every=2", "train.eval_episodes=2",
                                "log.monitor=true", "log.tensorboard=true", "checkpoint.every=2"}));
    make_output_folder(path_);
    RunFolder folder(path_, run, "retropg train", [](const std::string&) {});
    folder.finish(run.train([&](const IterationRecord& record) {
      folder.record(record);
      return true;
    }));
    const TrajectoryBatch steps{.observation_size = 1, .action_size = 1};
    const std::vector<double> behavior(run.trainer().parameters().begin(), run.trainer().parameters().end());
    const BrokenRollout broken{
        .environment = "LQR", .iteration = 1, .what = "the reward is inf", .behavior = behavior, .steps = steps};
    save_failure(path_ / "failure.safetensors", BrokenTrajectory(broken), 1);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) names_.push_back(entry.path().lexically_relative(path_).string());
    }
    std::ranges::sort(names_);
    for (const std::string& name : names_) texts_.push_back(read_file(path_ / name));
  }

  const std::filesystem::path& path() const { return path_; }
  std::size_t size() const { return names_.size(); }
  /// The input that leaves file i as it is.
  std::string input(std::size_t i) const { return std::string(1, static_cast<char>(i)) + texts_[i]; }

  /// Has `look` see the folder with one file changed.
  template <typename Look>
  void changed(std::string_view input, const Look& look) {
    if (input.empty()) return;
    const std::size_t i = static_cast<unsigned char>(input[0]) % size();
    write(i, input.substr(1));
    look(names_[i]);
    write(i, texts_[i]);
  }

 private:
  static std::filesystem::path memory() {
    const std::filesystem::path shared = "/dev/shm";
    return std::filesystem::is_directory(shared) ? shared : std::filesystem::temp_directory_path();
  }
  void write(std::size_t i, std::string_view text) const {
    std::ofstream(path_ / names_[i], std::ios::binary | std::ios::trunc) << text;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_;
  std::vector<std::string> names_, texts_;
};

}  // namespace retropg::test
