#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/storage/checkpoint.hpp"
#include "retropg/storage/checkpoint_folder.hpp"
#include "support/files.hpp"
#include "support/session.hpp"

namespace retropg::test {

/// A small run after its second iteration, and the files of the checkpoint there.
class CheckpointSample {
 public:
  explicit CheckpointSample(const std::vector<std::string>& settings) : configuration_(small(settings)) {
    start_over();
    session_->iterate();
    session_->iterate();
    Archive archive(Archive::Mode::kSave);
    trainer().state(archive);
    state_ = archive.state();
    const TemporaryFolder folder;
    Checkpoint checkpoint;
    checkpoint.iteration = 2;
    checkpoint.logs = {{"progress.csv", 100}};
    CheckpointFolder(folder.path()).save(checkpoint, archive);
    checkpoint_ = read_file(folder / "2.safetensors");
    window_ = read_file(folder / "window-2.bin");  // empty if there is none
  }

  Trainer& trainer() { return session_->trainer; }
  const std::string& checkpoint() const { return checkpoint_; }
  const std::string& window() const { return window_; }

  /// Restores the trainer from the bytes of two files.
  void restore(std::string_view checkpoint, std::string_view window) {
    Checkpoint parsed = parse_checkpoint(checkpoint, "checkpoint");
    parse_batches(parsed, window, "window");
    Archive archive(std::move(parsed.state));
    trainer().state(archive);
  }

  /// Goes on for an iteration, or to the Error that it ends in, and then back to the second iteration.
  void go_on_and_back() {
    try {
      session_->iterate();
    } catch (const Error&) {
      start_over();
    }
    Archive archive(state_);
    trainer().state(archive);
  }

 private:
  static Configuration small(std::vector<std::string> settings) {
    settings.insert(settings.begin(), {"env.horizon=4", "algo.batch=3", "algo.window=2", "train.iterations=1000",
                                       "train.threads=1", "train.lanes=4"});
    return configured(settings);
  }
  void start_over() { session_ = std::make_unique<Session>(configuration_); }

  Configuration configuration_;
  std::unique_ptr<Session> session_;
  SavedState state_;
  std::string checkpoint_, window_;
};

/// Settings that between them save every kind of state: evidence, estimators, baselines.
inline std::vector<std::vector<std::string>> checkpoint_settings() {
  return {{"algo.name=rpg", "policy.evidence=moments", "policy.bias=true"},
          {"algo.name=miw-pg", "policy.evidence=steps", "algo.baseline=peters"},
          {"algo.name=rpg", "policy.kind=mlp-gaussian", "policy.hidden=[2]", "algo.baseline=running-mean"},
          {"algo.name=rpg", "policy.learn_deviation=true", "policy.bias=true"},
          {"algo.name=pb-rpg", "hyperpolicy.learn_deviation=true"},
          {"algo.name=nes", "algo.window=2"},
          {"algo.name=bpo", "algo.window=2"},
          {"algo.name=svrpg", "algo.two_adam=true", "algo.snapshot=3", "algo.mini_batch=2"},
          {"algo.name=def-pg", "algo.snapshot=3", "algo.mini_batch=2", "algo.refresh=0"},
          {"algo.name=gpomdp", "algo.baseline=value"},
          {"algo.name=rpg", "env.id=CartPole-v1", "policy.bias=true"}};
}

}  // namespace retropg::test
