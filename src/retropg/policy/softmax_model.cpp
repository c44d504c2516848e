#include "retropg/policy/softmax_model.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {

Index SoftmaxModel::action(double number, Index t) const {
  const Index last = action_count() - 1;
  if (number >= 0.0 && number <= static_cast<double>(last) && number == std::floor(number)) {
    return static_cast<Index>(number);
  }
  throw Error(fmt::format("step {} of the batch has action {}; expected a whole number from 0 to {}", t, number, last));
}

void SoftmaxModel::normalize(Index steps, double* logits) const {
  const Index width = logit_width();
  for (Index t = 0; t < steps; ++t) {
    const std::span row(logits + t * width, as_size(action_count()));
    const double total = log_sum_exp(row);
    for (double& logit : row) logit -= total;
  }
}

double SoftmaxModel::best_action(const double* logits) const {
  return static_cast<double>(std::max_element(logits, logits + action_count()) - logits);
}

double SoftmaxModel::drawn_action(const double* logits, double uniform) const {
  const Index last = action_count() - 1;
  const double total = log_sum_exp(std::span(logits, as_size(action_count())));
  double cumulative = 0.0;
  for (Index a = 0; a < last; ++a) {
    cumulative += std::exp(logits[a] - total);
    if (uniform < cumulative) return static_cast<double>(a);
  }
  return static_cast<double>(last);  // also if rounding leaves the sum below 1
}

}  // namespace retropg
