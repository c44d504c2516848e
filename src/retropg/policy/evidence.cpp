#include "retropg/policy/evidence.hpp"

#include "retropg/core/error.hpp"

namespace retropg {

void Evidence::distance_gradient(Parameters, const double*, Index, Index, double*) const {
  throw Error("this policy's evidence gives no gradient of its distance, which pois and p-pois need");
}

void Evidence::fisher_product(Parameters, const double*, Parameters, Index, Index, double*) const {
  throw Error("this policy's evidence gives no Fisher matrix, which rnpg and the natural direction of pois need");
}

}  // namespace retropg
