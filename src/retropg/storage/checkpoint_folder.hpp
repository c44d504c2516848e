#pragma once

#include <string>
#include <vector>

#include "retropg/storage/checkpoint.hpp"

namespace retropg {

/// The checkpoints of a run: the newest two, and the newest one from which a larger budget can go on. The batches of
/// the window are in files of their own: a new checkpoint adds its new batches to the file of the one before.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(Place path) : path_(std::move(path)) {}

  /// The iterations that have a checkpoint, whole or not, newest first. Throws Error if the folder cannot be read.
  std::vector<Index> iterations() const;
  /// The checkpoint after an iteration, with its window. Throws Error if it is damaged.
  Checkpoint load(Index iteration) const;
  Place file(Index iteration) const;
  /// Whether the checkpoint itself is whole, but the file with its window is gone.
  bool lacks_window(Index iteration) const;

  /// From here on the run continues after this checkpoint, which was loaded.
  void continue_after(const Checkpoint& checkpoint);
  /// Removes the checkpoints after an iteration.
  void remove_after(Index iteration);

  /// Batches with smaller numbers are stored: the next checkpoint's archive may leave them out.
  Index stored() const;
  /// Writes a checkpoint with the state in the archive; only then, older ones go. Throws RunError if it cannot be
  /// written; the older ones are then as they were.
  void save(Checkpoint checkpoint, const Archive& archive);

 private:
  struct Kept {
    Index iteration;
    bool may_be_cut;
    std::string window;  // file
  };
  StoredWindow store(const Archive& archive, Index iteration) const;
  void remove_unused();

  Place path_;
  std::vector<Kept> kept_;  // oldest first
  StoredWindow window_;     // of the newest
};

}  // namespace retropg
