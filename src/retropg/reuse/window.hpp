#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

/// One batch kept for reuse.
struct WindowEntry {
  Index id = 0;  // grows by one per batch
  std::vector<double> behavior;
  std::unique_ptr<Evidence> evidence;
  double spread = 1.0;  // of the behavior's actions
};

/// The batches of the last omega iterations, oldest first.
class Window {
 public:
  /// `capacity` batches at most; kFullReuse for no limit.
  explicit Window(Index capacity) : capacity_(capacity) {}

  void push(std::vector<double> behavior, std::unique_ptr<Evidence> evidence, double spread = 1.0);
  /// Drops the oldest batch.
  void pop();

  /// From here on `push` and `pop` can be undone, until `keep_changes` or `undo_changes`.
  void begin_changes();
  void keep_changes();
  void undo_changes();

  const std::deque<WindowEntry>& entries() const { return entries_; }
  Index size() const { return as_index(entries_.size()); }
  Index capacity() const { return capacity_; }
  Index trajectories() const { return trajectories_; }

  /// Chunks worth a task of their own.
  Index grain() const { return entries_.front().evidence->grain(); }

  /// Where each entry's chunks start when all entries are laid end to end, oldest first; then the total.
  const std::vector<Index>& chunk_offsets() const { return offsets_; }

  /// Calls body(entry number, first chunk, last chunk, offset) for each entry's part of the chunks [first, last) of the
  /// whole window; first and last are the entry's own, offset is where its chunk 0 stands in the window.
  template <typename Body>
  void for_entries(Index first, Index last, const Body& body) const {
    auto entry = as_size(std::upper_bound(offsets_.begin(), offsets_.end(), first) - offsets_.begin()) - 1;
    for (; entry < entries_.size() && offsets_[entry] < last; ++entry) {
      const Index offset = offsets_[entry];
      body(entry, std::max(first, offset) - offset, std::min(last, offsets_[entry + 1]) - offset, offset);
    }
  }

  /// Saves or restores all batches; the policy rebuilds evidence from its numbers.
  void state(Archive& archive, const Policy& policy);

 private:
  void index();

  Index capacity_;
  Index next_id_ = 0;
  Index trajectories_ = 0;
  std::deque<WindowEntry> entries_;
  std::vector<Index> offsets_{0};
  // Changes that can be undone:
  bool recording_ = false;
  Index pushed_ = 0;
  std::vector<WindowEntry> popped_;
};

}  // namespace retropg
