#include "retropg/policy/evidence.hpp"

#include <algorithm>
#include <vector>

#include "retropg/core/error.hpp"

namespace retropg {

void Evidence::distance_gradient(Parameters, const double*, Index, Index, double*) const {
  throw Error("this policy's evidence gives no gradient of its distance, which pois and p-pois need");
}

void Evidence::fisher_product(Parameters, const double*, Parameters, Index, Index, double*) const {
  throw Error("this policy's evidence gives no Fisher matrix, which rnpg and the natural direction of pois need");
}

void Evidence::fisher_trace(Parameters theta, const double* weights, Index first, Index last, double* traces) const {
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
