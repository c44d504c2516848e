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
  Index count = size();
  archive("window_size", count);
  archive("window_next", next_id_);
  if (!archive.saving()) {
    entries_.clear();
    keep_changes();
  }
  for (Index i = 0; i < count; ++i) {
    const std::string name = "window_" + std::to_string(i);
    if (archive.saving()) {
      WindowEntry& entry = entries_[as_size(i)];
      Index trajectories = entry.evidence->size();
      std::vector<double> numbers(entry.evidence->numbers().begin(), entry.evidence->numbers().end());
      archive(name + "_trajectories", trajectories);
      archive(name + "_behavior", entry.behavior);
      archive(name + "_evidence", numbers);
      archive(name + "_spread", entry.spread);
      continue;
    }
    Index trajectories = 0;
    std::vector<double> behavior, numbers;
    double spread = 1.0;
    archive(name + "_trajectories", trajectories);
    archive(name + "_behavior", behavior);
    archive(name + "_evidence", numbers);
    archive(name + "_spread", spread);
    require(as_index(behavior.size()) == policy.parameter_count(), "the saved window belongs to a different policy");
    auto evidence = policy.restore(behavior, trajectories, numbers);
    entries_.push_back({next_id_ - count + i, std::move(behavior), std::move(evidence), spread});
  }
  if (archive.saving()) return;
  trajectories_ = 0;
  for (const WindowEntry& entry : entries_) trajectories_ += entry.evidence->size();
  index();
}

}  // namespace retropg
