#include "retropg/policy/evidence.hpp"

#include <algorithm>
#include <vector>

namespace retropg {

void Evidence::begin_pass(Parameters, std::unique_ptr<EvidencePass>& pass) const {
  pass = nullptr;
}

void StepwiseEvidence::divergences(Parameters theta, Parameters other, Index first, Index last,
                                   double* divergences) const {
  const auto begin = [this](Index trajectory) { return first_step(std::min(trajectory, size())); };
  std::vector<double> steps(as_size(begin(last * kChunk) - begin(first * kChunk)));
  step_divergences(theta, other, first, last, steps.data());
  const double* step = steps.data();
  for (Index j = first * kChunk; j < last * kChunk; ++j, ++divergences) {
    *divergences = 0.0;
    for (Index t = begin(j); t < begin(j + 1); ++t) *divergences += *step++;
  }
}

void FisherEvidence::fisher_trace(Parameters theta, const double* weights, Index first, Index last,
                                  double* traces) const {
  const std::size_t d = theta.size(), chunks = as_size(last - first);
  std::vector<double> unit(d, 0.0), rows(chunks * d);
  std::fill_n(traces, chunks, 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    unit[i] = 1.0;
    fisher_product(theta, weights, unit, first, last, rows.data());
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) traces[chunk] += rows[chunk * d + i];
    unit[i] = 0.0;
  }
}

}  // namespace retropg
