#include <algorithm>
#include <deque>

#include "retropg/kernels/weights.hpp"
#include "retropg/reuse/weigh_parts.hpp"

namespace retropg {
namespace {

/// log p_l(tau) - log p_i(tau) for the trajectories of batch i and the behavior of batch l.
void log_ratios(const WindowEntry& batch, const WindowEntry& behavior, std::vector<double>& row) {
  const Index chunks = chunk_count(batch.evidence->size());
  std::vector<double> unused(padded_count(chunks));
  row.resize(unused.size());
  batch.evidence->compare(behavior.behavior, 2.0, 0, chunks, row.data(), unused.data(), nullptr);
}

double trajectories(const WindowEntry& entry) {
  return static_cast<double>(entry.evidence->size());
}

/// Rows of log-ratios per task.
Index row_grain(const WindowEntry& entry) {
  return std::max<Index>(1, entry.evidence->grain() / chunk_count(entry.evidence->size()));
}

class BalanceHeuristic final : public WeightRule {
 public:
  void weigh(const Window& window, Parameters, const LikelihoodComparison& comparison, const OrderedSum& sum,
             Weights& weights) override {
    record_divergences(window, comparison, sum, weights);
    const bool full_reuse = window.capacity() == kFullReuse;
    if (full_reuse) {
      follow(window, mixtures_, [&](std::size_t fresh) { mix(window, fresh, sum); });
    } else {
      follow(window, batches_, [&](std::size_t fresh) { compare_all(window, fresh, sum); });
    }
    std::vector<double> sizes;
    for (const WindowEntry& entry : window.entries()) sizes.push_back(trajectories(entry));
    weigh_parts(window, sum, weights, [&](std::size_t i, std::size_t first, std::size_t count) {
      const std::size_t within = first - padded_count(window.chunk_offsets()[i]);
      const double* target = comparison.log_ratio.data() + first;
      if (full_reuse) {
        kernels::balance_mixture(count, mixtures_[i].high.data() + within, mixtures_[i].sum.data() + within, target,
                                 weights.c.data() + first);
        return;
      }
      std::vector<const double*> rows;
      for (const auto& row : batches_[i].rows) rows.push_back(row.data() + within);
      kernels::balance(count, rows.size(), rows.data(), sizes.data(), target, weights.c.data() + first);
    });
  }

  void forget() override {
    batches_.clear();
    mixtures_.clear();
  }

  double bytes_per_trajectory(Index window, double batches) const override {
    return sizeof(double) * (window == kFullReuse ? 2.0 : batches);
  }

 private:
  /// One stored batch of a window: row l holds log p_l(tau) - log p_i(tau) for every behavior l in the window.
  struct ComparedBatch {
    Index id;
    std::deque<std::vector<double>> rows;
    void drop_oldest() { rows.pop_front(); }
  };

  /// One stored batch under full reuse, where no behavior ever leaves: sum_l n_l p_l(tau) / p_i(tau) = sum e^high.
  struct MixedBatch {
    Index id;
    std::vector<double> high, sum;
    void drop_oldest() {}
  };

  /// Follows the window: drops batches and behaviors that left it and calls add(fresh) for each new one.
  template <class Batch, class Add>
  void follow(const Window& window, std::deque<Batch>& batches, const Add& add) {
    const auto& entries = window.entries();
    while (!batches.empty() && batches.front().id < entries.front().id) {
      batches.pop_front();
      for (Batch& batch : batches) batch.drop_oldest();
    }
    const bool follows = batches.size() <= entries.size() &&
                         std::equal(batches.begin(), batches.end(), entries.begin(),
                                    [](const Batch& batch, const WindowEntry& entry) { return batch.id == entry.id; });
    if (!follows) batches.clear();  // a different window
    for (std::size_t fresh = batches.size(); fresh < entries.size(); ++fresh) add(fresh);
  }

  /// Evaluates the fresh batch under all behaviors so far, and all batches so far under its behavior.
  void compare_all(const Window& window, std::size_t fresh, const OrderedSum& sum) {
    const auto& entries = window.entries();
    batches_.push_back({entries[fresh].id, std::deque<std::vector<double>>(fresh + 1)});
    for (std::size_t i = 0; i < fresh; ++i) batches_[i].rows.emplace_back();
    const Index old = as_index(fresh);
    sum.each(
        2 * old + 1,
        [&](Index first, Index last) {
          for (Index task = first; task < last; ++task) {
            if (task < old) {
              log_ratios(entries[as_size(task)], entries[fresh], batches_[as_size(task)].rows.back());
            } else {
              const std::size_t l = as_size(task - old);
              log_ratios(entries[fresh], entries[l], batches_[fresh].rows[l]);
            }
          }
        },
        row_grain(entries[fresh]));
  }

  /// The same for mixtures, whose behaviors are always added oldest first, so that a resumed run gets the same bits.
  void mix(const Window& window, std::size_t fresh, const OrderedSum& sum) {
    const auto& entries = window.entries();
    const Index old = as_index(fresh), grain = row_grain(entries[fresh]);
    sum.each(
        old,
        [&](Index first, Index last) {
          std::vector<double> row;
          for (Index i = first; i < last; ++i) {
            log_ratios(entries[as_size(i)], entries[fresh], row);
            add(row, trajectories(entries[fresh]), mixtures_[as_size(i)]);
          }
        },
        grain);
    MixedBatch& mixed = mixtures_.emplace_back(MixedBatch{.id = entries[fresh].id, .high = {}, .sum = {}});
    constexpr Index kBlock = 256;  // number of behaviors whose rows are in memory at a time
    std::vector<std::vector<double>> rows(as_size(std::min(kBlock, old + 1)));
    for (Index block = 0; block <= old; block += kBlock) {
      const Index count = std::min(kBlock, old + 1 - block);
      sum.each(
          count,
          [&](Index first, Index last) {
            for (Index l = first; l < last; ++l) {
              log_ratios(entries[fresh], entries[as_size(block + l)], rows[as_size(l)]);
            }
          },
          grain);
      for (Index l = 0; l < count; ++l) add(rows[as_size(l)], trajectories(entries[as_size(block + l)]), mixed);
    }
  }

  static void add(const std::vector<double>& row, double size, MixedBatch& batch) {
    if (batch.sum.empty()) {
      batch.high = row;
      batch.sum.assign(row.size(), size);
    } else {
      kernels::add_to_mixture(row.size(), row.data(), size, batch.high.data(), batch.sum.data());
    }
  }

  std::deque<ComparedBatch> batches_;
  std::deque<MixedBatch> mixtures_;
};

}  // namespace

std::unique_ptr<WeightRule> balance_heuristic() {
  return std::make_unique<BalanceHeuristic>();
}

}  // namespace retropg
