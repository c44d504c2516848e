#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/draw_id.hpp"

namespace retropg {

/// One batch kept for reuse.
struct WindowEntry {
  Index id = 0;  // increases by one with every batch
  std::vector<double> behavior{};
  std::shared_ptr<const Evidence> evidence{};
  double spread = 1.0;            // of the behavior's actions: factor on the policy's standard deviation
  std::vector<double> values{};   // returns, less a baseline; empty unless the window keeps them
  std::vector<double> returns{};  // may be empty
  DrawId draw{};
  Index missing = 0;  // trajectories of the draw that may still come late
  Index origin = 0;   // id of the batch that a late one belongs to; else its own

  bool late() const { return origin != id; }
};

/// The most recent batches, in the order in which they came. A late batch holds more trajectories of the draw of an
/// earlier one, its origin. The two are weighted as if they were one; the capacity counts only the others, and a late
/// batch leaves with the last batch that came before it.
class Window {
 public:
  /// Holds at most `capacity` batches; kFullReuse for no limit. `keeps_values`: every batch comes with the values of
  /// its trajectories.
  explicit Window(Index capacity, bool keeps_values = false) : capacity_(capacity), keeps_values_(keeps_values) {}

  void push(std::vector<double> behavior, std::shared_ptr<const Evidence> evidence, double spread = 1.0,
            std::vector<double> values = {}, std::vector<double> returns = {});
  void push(WindowEntry entry);
  /// Adds trajectories that came late to the batch of their draw; `entry` has that draw. Cannot be undone. Throws
  /// Error, and changes nothing, if the draw is not stored or does not miss so many.
  void push_late(WindowEntry entry);
  /// The batch of a draw that is not late itself; null if it is not in the window.
  const WindowEntry* find(const DrawId& draw) const;
  /// Drops the oldest batch.
  void pop();

  /// From here on, `push` and `pop` can be undone until `keep_changes` or `undo_changes`.
  void begin_changes();
  void keep_changes();
  void undo_changes();

  const std::deque<WindowEntry>& entries() const { return entries_; }
  Index size() const { return as_index(entries_.size()); }
  Index capacity() const { return capacity_; }
  Index trajectories() const { return trajectories_; }

  bool has_late() const { return late_ > 0; }
  /// The age of each entry: 0 for the newest batch and late ones that belong to it, then 1, and so on.
  std::vector<Index> ages() const;

  /// The number of chunks per task when work is split between threads; does not affect the result.
  Index grain() const { return entries_.front().evidence->grain(); }

  /// The index of each entry's first chunk when all entries are laid end to end, oldest first; then the total.
  const std::vector<Index>& chunk_offsets() const { return offsets_; }

  /// Splits the chunks [first, last) of the whole window by entry and calls body(entry, first chunk, last chunk,
  /// offset) for each part. The chunks passed to body count from the entry's own start; offset is its chunk_offsets()
  /// value.
  template <typename Body>
  void for_entries(Index first, Index last, const Body& body) const {
    auto entry = as_size(std::upper_bound(offsets_.begin(), offsets_.end(), first) - offsets_.begin()) - 1;
    for (; entry < entries_.size() && offsets_[entry] < last; ++entry) {
      const Index offset = offsets_[entry];
      body(entry, std::max(first, offset) - offset, std::min(last, offsets_[entry + 1]) - offset, offset);
    }
  }

  /// Saves or restores all batches; the policy rebuilds their evidence from its numbers.
  void state(Archive& archive, const Policy& policy);

 private:
  void add(WindowEntry entry);
  void index();

  Index capacity_;
  bool keeps_values_;
  Index next_id_ = 0;
  Index trajectories_ = 0;
  Index late_ = 0;  // number of late batches
  std::deque<WindowEntry> entries_;
  std::vector<Index> offsets_{0};
  // Changes that can be undone:
  bool recording_ = false;
  Index pushed_ = 0;
  std::vector<WindowEntry> popped_;
};

}  // namespace retropg
