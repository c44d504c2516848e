#include "retropg/reuse/window.hpp"

#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {

void Window::push(std::vector<double> behavior, std::shared_ptr<const Evidence> evidence, double spread,
                  std::vector<double> values, std::vector<double> returns) {
  require(as_index(values.size()) == (keeps_values_ ? evidence->size() : 0),
          "a window that keeps values needs one per trajectory, another none");
  if (recording_) ++pushed_;
  trajectories_ += evidence->size();
  entries_.push_back(
      {next_id_++, std::move(behavior), std::move(evidence), spread, std::move(values), std::move(returns)});
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
  Index next = next_id_;
  std::vector<Index> trajectories;
  std::vector<double> spreads, values, returns;
  if (archive.saving()) {
    for (const WindowEntry& entry : entries_) {
      trajectories.push_back(entry.evidence->size());
      spreads.push_back(entry.spread);
      values.insert(values.end(), entry.values.begin(), entry.values.end());
      returns.insert(returns.end(), entry.returns.begin(), entry.returns.end());
      archive.save_batch(entry.id, entry.behavior, entry.evidence->numbers());
    }
  }
  archive("window_next", next);
  archive("window_trajectories", trajectories);
  archive("window_spreads", spreads);
  if (keeps_values_) archive("window_values", values);
  archive("window_returns", returns);
  if (archive.saving()) return;

  const Index count = as_index(trajectories.size());
  require(spreads.size() == trajectories.size() && count <= next && next <= kMostSaved &&
              (capacity_ == kFullReuse || count <= capacity_),
          "the saved window has an impossible number of batches");
  require(std::ranges::all_of(spreads, [](double spread) { return std::isfinite(spread) && spread > 0.0; }),
          "the saved window has a spread that is not positive and finite");
  require(all_finite(values) && all_finite(returns), "a value of the saved window is not finite");
  std::span<const double> values_left = values, returns_left = returns;
  std::deque<WindowEntry> restored;
  for (std::size_t i = 0; i < trajectories.size(); ++i) {
    const Index id = next - count + as_index(i);
    const std::span<const double> numbers = archive.saved_batch(id);
    const auto parameters = as_size(policy.parameter_count());
    // Evidence has at least one number per trajectory, so a damaged count cannot ask for more memory than there is.
    require(
        numbers.size() >= parameters && trajectories[i] >= 1 && as_size(trajectories[i]) <= numbers.size() - parameters,
        "the saved window is another policy's");
    std::vector<double> behavior(numbers.begin(), numbers.begin() + policy.parameter_count());
    require(all_finite(behavior), "a parameter of the saved window is not finite");
    auto evidence = policy.restore(behavior, trajectories[i], numbers.subspan(parameters));
    const std::size_t own = keeps_values_ ? as_size(trajectories[i]) : 0;
    const std::size_t with_return = returns.empty() ? 0 : as_size(trajectories[i]);
    require(own <= values_left.size() && with_return <= returns_left.size(), "the saved window has too few values");
    restored.push_back({id,
                        std::move(behavior),
                        std::move(evidence),
                        spreads[i],
                        {values_left.begin(), values_left.begin() + as_index(own)},
                        {returns_left.begin(), returns_left.begin() + as_index(with_return)}});
    values_left = values_left.subspan(own);
    returns_left = returns_left.subspan(with_return);
  }
  require(values_left.empty() && returns_left.empty(), "the saved window has too many values");
  keep_changes();
  entries_ = std::move(restored);
  next_id_ = next;
  trajectories_ = 0;
  for (const WindowEntry& entry : entries_) trajectories_ += entry.evidence->size();
  index();
}

}  // namespace retropg
