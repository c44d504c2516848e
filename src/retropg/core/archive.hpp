#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// No saved count is larger: what is added to it in a lifetime cannot overflow.
inline constexpr Index kMostSaved = Index{1} << 62;

/// The numbers of an object's state, by name.
struct SavedState {
  std::map<std::string, std::vector<double>> numbers{};
  std::map<std::string, std::vector<Index>> counts{};
  std::map<Index, std::vector<double>> batches{};  // of a window, by number

  bool operator==(const SavedState&) const = default;
};

/// Visits an object's state. One function serves both directions: `state(archive)` visits every number by name, and the
/// archive either stores it (saving) or overwrites it (restoring).
class Archive {
 public:
  enum class Mode { kSave, kRestore };
  explicit Archive(Mode mode) : mode_(mode) {}
  /// Restores what another archive saved.
  explicit Archive(SavedState state) : mode_(Mode::kRestore), state_(std::move(state)) {}
  /// Saves, but leaves out the batches with numbers below `stored`: they are kept elsewhere and never change. The
  /// others are only in `batches()`, not copied into the state.
  static Archive saving_from(Index stored);

  bool saving() const { return mode_ == Mode::kSave; }
  const SavedState& state() const { return state_; }

  /// Visits a vector or a single number under `prefix` + name.
  void operator()(const std::string& name, std::vector<double>& values);
  void operator()(const std::string& name, std::vector<Index>& counts);
  void operator()(const std::string& name, double& value);
  void operator()(const std::string& name, Index& count);

  /// A batch of a window: its numbers never change, so a large window need not be saved again with every new batch.
  void save_batch(Index number, std::span<const double> head, std::span<const double> tail);
  /// The numbers of a batch that was saved: the saved object's own, as long as it does not change.
  struct Batch {
    std::span<const double> head, tail;
  };
  const std::map<Index, Batch>& batches() const { return batches_; }
  std::span<const double> saved_batch(Index number);
  /// The numbers of all batches that were saved or left out: first, ..., first + count - 1.
  Index first_batch() const { return first_batch_; }
  Index batch_count() const { return batch_count_; }

  /// Prefix of the names visited from now on, for example "optimizer/".
  void scope(std::string prefix) { prefix_ = std::move(prefix); }
  const std::string& scope() const { return prefix_; }

  /// Throws Error if the saved state holds something that was not visited: it is another object's.
  void require_all_visited() const;

 private:
  Mode mode_;
  bool copies_ = true;  // of batches
  Index stored_ = 0, first_batch_ = 0, batch_count_ = 0;
  std::map<Index, Batch> batches_;
  std::string prefix_;
  SavedState state_;
  std::set<std::string> visited_;
};

}  // namespace retropg
