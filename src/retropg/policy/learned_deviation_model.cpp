#include "retropg/policy/learned_deviation_model.hpp"

#include <cmath>

#include "retropg/policy/gaussian_options.hpp"

namespace retropg {

Deviations LearnedDeviationModel::deviations(Parameters theta) const {
  constexpr double kMostFall = 30.0;  // e^-30 is about 1e-13
  Deviations result;
  for (std::size_t u = 0; u < deviation.size(); ++u) {
    const double given = theta[as_size(network.parameter_count()) + u], least = std::log(deviation[u]) - kMostFall;
    result.log_sigma.push_back(given < least ? least : given);
    result.sigma.push_back(std::exp(result.log_sigma.back()));
    result.slope.push_back(given < least ? 0.0 : 1.0);
  }
  return result;
}

void LearnedDeviationModel::scale_means(Index steps, double* outputs) const {
  scale_outputs(action_shift, action_scale, steps, network.width(network.layers()), outputs);
}

}  // namespace retropg
