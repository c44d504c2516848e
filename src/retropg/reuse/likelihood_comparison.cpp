#include "retropg/reuse/likelihood_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/core/scratch.hpp"
#include "retropg/kernels/weights.hpp"

namespace retropg {
namespace {

/// The divergence of a batch that has late parts is the mean over all its trajectories: log sum_p (N_p / N) e^{d_p}.
void join_parts(const Window& window, std::vector<double>& log_divergence) {
  const std::vector<Index> ages = window.ages();
  const auto batches = as_size(*std::ranges::max_element(ages)) + 1;
  std::vector<std::vector<double>> terms(batches);
  std::vector<double> sizes(batches, 0.0);
  for (std::size_t i = 0; i < ages.size(); ++i) {
    const auto size = static_cast<double>(window.entries()[i].evidence->size());
    terms[as_size(ages[i])].push_back(std::log(size) + log_divergence[i]);
    sizes[as_size(ages[i])] += size;
  }
  for (std::size_t i = 0; i < ages.size(); ++i) {
    const std::vector<double>& own = terms[as_size(ages[i])];
    if (own.size() > 1) log_divergence[i] = log_sum_exp(own) - std::log(sizes[as_size(ages[i])]);
  }
}

}  // namespace

void compare(const Window& window, Parameters theta, double order, const OrderedSum& sum,
             LikelihoodComparison& result) {
  const Index chunks = window.chunk_offsets().back();
  const auto& entries = window.entries();
  result.log_ratio.resize(as_size(chunks * kChunk));
  result.renyi.resize(result.log_ratio.size());
  result.passes.resize(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    require(entries[i].spread == 1.0, "a window can only compare trajectories drawn with spread = 1");
    entries[i].evidence->begin_pass(theta, result.passes[i]);
  }
  sum.each(
      chunks,
      [&](Index from, Index to) {
        window.for_entries(from, to, [&](std::size_t i, Index first, Index last, Index offset) {
          entries[i].evidence->compare(theta, order, first, last, result.log_ratio.data() + (offset + first) * kChunk,
                                       result.renyi.data() + (offset + first) * kChunk, result.passes[i].get());
        });
      },
      window.grain());
}

void log_divergences(const Window& window, const LikelihoodComparison& comparison, const DivergenceOptions& options,
                     const OrderedSum& sum, std::vector<double>& result) {
  const bool product = options.estimator == DivergenceEstimator::kProduct;
  const double scale = product ? 1.0 : options.order;
  const double* exponents = product ? comparison.renyi.data() : comparison.log_ratio.data();
  const auto& offsets = window.chunk_offsets();
  const auto& entries = window.entries();

  // log mean exp with the largest exponent factored out; a maximum does not depend on the order of evaluation.
  Scratch scratch(entries.size());
  double* highest = scratch.data();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    highest[i] = scale * kernels::largest(as_size(entries[i].evidence->size()), exponents + offsets[i] * kChunk);
  }
  result.resize(entries.size());
  sum.segments(
      offsets, 1,
      [&](Index from, Index to, double* rows) {
        Scratch terms(as_size((to - from) * kChunk));
        window.for_entries(from, to, [&](std::size_t i, Index first, Index last, Index offset) {
          double* part = terms.data() + (offset + first - from) * kChunk;
          kernels::exp_affine(as_size((last - first) * kChunk), exponents + (offset + first) * kChunk, scale,
                              std::numeric_limits<double>::infinity(), -highest[i], 1.0, part);
          const Index size = entries[i].evidence->size();
          for (Index j = size; j < last * kChunk; ++j) part[j - first * kChunk] = 0.0;  // padding
        });
        for (Index chunk = 0; chunk < to - from; ++chunk) {
          rows[chunk] = chunk_sum(terms.data() + chunk * kChunk);
        }
      },
      result);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (highest[i] == std::numeric_limits<double>::infinity()) {  // avoids inf - inf
      result[i] = highest[i];
      continue;
    }
    result[i] = highest[i] + (std::log(result[i]) - std::log(static_cast<double>(entries[i].evidence->size())));
  }
  if (window.has_late()) join_parts(window, result);
}

}  // namespace retropg
