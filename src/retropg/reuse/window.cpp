#include "retropg/reuse/window.hpp"

#include "retropg/core/error.hpp"

namespace retropg {

void Window::push(std::vector<double> behavior, std::unique_ptr<Evidence> evidence, double spread) {
  if (recording_) ++pushed_;
  trajectories_ += evidence->size();
  entries_.push_back({next_id_++, std::move(behavior), std::move(evidence), spread});
  offsets_.push_back(offsets_.back() + chunk_count(entries_.back().evidence->size()));
  if (capacity_ != kFullReuse && size() > capacity_) pop();
}

void Window::pop() {
  trajectories_ -= entries_.front().evidence->size();
  if (recording_) popped_.push_back(std::move(entries_.front()));
  entries_.pop_front();
  index();
}

void Window::begin_changes() {
  keep_changes();
  recording_ = true;
}

void Window::keep_changes() {
  recording_ = false;
  pushed_ = 0;
  popped_.clear();
}

void Window::undo_changes() {
  // Removes the newest batches first; a batch both pushed and popped since begin_changes is in popped_.
  const Index to_drop = std::min(pushed_, size());
  for (Index i = 0; i < to_drop; ++i) entries_.pop_back();
  popped_.resize(popped_.size() - as_size(pushed_ - to_drop));
  for (; !popped_.empty(); popped_.pop_back()) entries_.push_front(std::move(popped_.back()));
  next_id_ -= pushed_;
  keep_changes();
  trajectories_ = 0;
  for (const WindowEntry& entry : entries_) trajectories_ += entry.evidence->size();
  index();
}

void Window::index() {
  offsets_.assign(1, 0);
  for (const WindowEntry& entry : entries_) offsets_.push_back(offsets_.back() + chunk_count(entry.evidence->size()));
}

void Window::state(Archive& archive, const Policy& policy) {
  Index count = size(), next_id = next_id_;
  archive("window_size", count);
  archive("window_next", next_id);
  require(count >= 0 && count <= next_id && (capacity_ == kFullReuse || count <= capacity_),
          "the saved window has an impossible number of batches");
  std::deque<WindowEntry> restored;
  for (Index i = 0; i < count; ++i) {
    WindowEntry entry{.id = next_id - count + i, .behavior = {}, .evidence = nullptr};
    Index trajectories = 0;
    std::vector<double> numbers;
    if (archive.saving()) {
      const WindowEntry& kept = entries_[as_size(i)];
      entry.behavior = kept.behavior;
      entry.spread = kept.spread;
      trajectories = kept.evidence->size();
      numbers.assign(kept.evidence->numbers().begin(), kept.evidence->numbers().end());
    }
    const std::string name = "window_" + std::to_string(i);
    archive(name + "_trajectories", trajectories);
    archive(name + "_behavior", entry.behavior);
    archive(name + "_evidence", numbers);
    archive(name + "_spread", entry.spread);
    if (archive.saving()) continue;
    require(as_index(entry.behavior.size()) == policy.parameter_count() && trajectories >= 1,
            "the saved window is another policy's");
    entry.evidence = policy.restore(entry.behavior, trajectories, numbers);
    restored.push_back(std::move(entry));
  }
  if (archive.saving()) return;
  keep_changes();
  entries_ = std::move(restored);
  next_id_ = next_id;
  trajectories_ = 0;
  for (const WindowEntry& entry : entries_) trajectories_ += entry.evidence->size();
  index();
}

}  // namespace retropg
