#include "retropg/reuse/window.hpp"

#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

/// Numbers per batch that a state says about its draw.
constexpr std::size_t kDrawNumbers = 4;

}  // namespace

void Window::push(std::vector<double> behavior, std::shared_ptr<const Evidence> evidence, double spread,
                  std::vector<double> values, std::vector<double> returns) {
  push({.behavior = std::move(behavior),
        .evidence = std::move(evidence),
        .spread = spread,
        .values = std::move(values),
        .returns = std::move(returns)});
}

void Window::push(WindowEntry entry) {
  entry.origin = next_id_;
  add(std::move(entry));
  if (recording_) ++pushed_;
  if (capacity_ == kFullReuse) return;
  while (size() - late_ > capacity_ || entries_.front().late()) pop();
}

void Window::push_late(WindowEntry entry) {
  require(!recording_, "late trajectories cannot enter a window while its changes can be undone");
  const auto origin = std::ranges::find_if(
      entries_, [&entry](const WindowEntry& other) { return !other.late() && other.draw == entry.draw; });
  require(origin != entries_.end() && entry.evidence->size() <= origin->missing,
          "the window does not miss these late trajectories");
  entry.behavior = origin->behavior;
  entry.spread = origin->spread;
  entry.origin = origin->id;
  const Index index = origin - entries_.begin(), count = entry.evidence->size();
  add(std::move(entry));
  entries_[as_size(index)].missing -= count;
  ++late_;
}

void Window::add(WindowEntry entry) {
  require(as_index(entry.values.size()) == (keeps_values_ ? entry.evidence->size() : 0),
          "a window that keeps values needs one per trajectory, another none");
  entry.id = next_id_;
  entries_.push_back(std::move(entry));
  ++next_id_;
  trajectories_ += entries_.back().evidence->size();
  offsets_.push_back(offsets_.back() + chunk_count(entries_.back().evidence->size()));
}

const WindowEntry* Window::find(const DrawId& draw) const {
  const auto found =
      std::ranges::find_if(entries_, [&draw](const WindowEntry& entry) { return !entry.late() && entry.draw == draw; });
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<Index> Window::ages() const {
  std::vector<Index> origins;
  for (const WindowEntry& entry : entries_) origins.push_back(entry.origin);
  std::vector<Index> known = origins;  // ids ascend, so only late batches are out of order
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (Index& origin : origins) origin = known.end() - 1 - std::ranges::lower_bound(known, origin);
  return origins;
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
  late_ = 0;
  for (const WindowEntry& entry : entries_) {
    offsets_.push_back(offsets_.back() + chunk_count(entry.evidence->size()));
    late_ += entry.late() ? 1 : 0;
  }
}

void Window::state(Archive& archive, const Policy& policy) {
  Index next = next_id_;
  std::vector<Index> trajectories, draws;
  std::vector<double> spreads, values, returns;
  if (archive.saving()) {
    for (const WindowEntry& entry : entries_) {
      trajectories.push_back(entry.evidence->size());
      spreads.push_back(entry.spread);
      draws.insert(draws.end(), {entry.draw.iteration, entry.draw.index, entry.missing, entry.origin});
      values.insert(values.end(), entry.values.begin(), entry.values.end());
      returns.insert(returns.end(), entry.returns.begin(), entry.returns.end());
      archive.save_batch(entry.id, entry.behavior, entry.evidence->numbers());
    }
  }
  archive("window_next", next);
  archive("window_trajectories", trajectories);
  archive("window_spreads", spreads);
  archive("window_draws", draws);
  if (keeps_values_) archive("window_values", values);
  archive("window_returns", returns);
  if (archive.saving()) return;

  const Index count = as_index(trajectories.size());
  require(spreads.size() == trajectories.size() && draws.size() == kDrawNumbers * trajectories.size() &&
              count <= next && next <= kMostSaved,
          "the saved window has an impossible number of batches");
  require(std::ranges::all_of(spreads, [](double spread) { return std::isfinite(spread) && spread > 0.0; }),
          "the saved window has a spread that is not positive and finite");
  require(all_finite(values) && all_finite(returns), "a value of the saved window is not finite");
  std::span<const double> values_left = values, returns_left = returns;
  std::deque<WindowEntry> restored;
  Index fresh = 0;
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
    const Index* draw = draws.data() + kDrawNumbers * i;
    restored.push_back({.id = id,
                        .behavior = std::move(behavior),
                        .evidence = std::move(evidence),
                        .spread = spreads[i],
                        .values = {values_left.begin(), values_left.begin() + as_index(own)},
                        .returns = {returns_left.begin(), returns_left.begin() + as_index(with_return)},
                        .draw = {.iteration = draw[0], .index = draw[1]},
                        .missing = draw[2],
                        .origin = draw[3]});
    require(draw[2] >= 0 && draw[2] <= kMostSaved && draw[3] >= 0 && draw[3] <= id,
            "the saved window has a late batch without a draw");
    fresh += restored.back().late() ? 0 : 1;
    values_left = values_left.subspan(own);
    returns_left = returns_left.subspan(with_return);
  }
  require(values_left.empty() && returns_left.empty(), "the saved window has too many values");
  require(capacity_ == kFullReuse || fresh <= capacity_, "the saved window has an impossible number of batches");
  keep_changes();
  entries_ = std::move(restored);
  next_id_ = next;
  trajectories_ = 0;
  for (const WindowEntry& entry : entries_) trajectories_ += entry.evidence->size();
  index();
}

}  // namespace retropg
