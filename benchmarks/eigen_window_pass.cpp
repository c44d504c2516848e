// Compiled for this machine, unlike the library. The linker keeps one copy of each of Eigen's inline functions, so this
// copy of Eigen is renamed to keep its code out of the library.
#define Eigen EigenOfThisMachine
#include <Eigen/Core>

#include "eigen_window_pass.hpp"

namespace retropg {
namespace {

constexpr int kObservations = kPassObservations, kHidden = kPassHidden, kActions = kPassActions;
constexpr int kColumns = 64;

template <int kRows>
using Columns = Eigen::Matrix<double, kRows, Eigen::Dynamic, Eigen::ColMajor, kRows, kColumns>;
template <int kRows, int kInputs>
using Weights = Eigen::Matrix<double, kRows, kInputs, Eigen::RowMajor>;

template <typename Derived>
auto tanh_of(const Eigen::MatrixBase<Derived>& x) {
  return 1.0 - 2.0 / ((2.0 * x.array()).exp() + 1.0);
}

}  // namespace

void eigen_window_pass(const WindowPassInput& input, double* log_ratio, double* distance, double* gradient) {
  const double* theta = input.theta;
  const Eigen::Map<const Weights<kHidden, kObservations>> w1(theta);
  const Eigen::Map<const Weights<kHidden, kHidden>> w2(theta + w1.size());
  const Eigen::Map<const Weights<kActions, kHidden>> w3(theta + w1.size() + w2.size());
  Eigen::Map<Weights<kHidden, kObservations>> g1(gradient);
  Eigen::Map<Weights<kHidden, kHidden>> g2(gradient + g1.size());
  Eigen::Map<Weights<kActions, kHidden>> g3(gradient + g1.size() + g2.size());
  g1.setZero();
  g2.setZero();
  g3.setZero();
  for (std::int64_t j = 0; j < input.steps / input.length; ++j) log_ratio[j] = distance[j] = 0.0;

  Columns<kHidden> h1, h2, d1, d2;
  Columns<kActions> mean, shift, delta;
  Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kColumns> ratios, distances;
  for (std::int64_t first = 0; first < input.steps; first += kColumns) {
    const std::int64_t count = input.steps - first < kColumns ? input.steps - first : kColumns;
    using Block = Eigen::Map<const Eigen::Matrix<double, kActions, Eigen::Dynamic>>;
    const Eigen::Map<const Eigen::Matrix<double, kObservations, Eigen::Dynamic>> x(
        input.observations + first * kObservations, kObservations, count);
    const Block action(input.actions + first * kActions, kActions, count);
    const Block behavior(input.behavior_means + first * kActions, kActions, count);
    const Eigen::Map<const Eigen::RowVectorXd> factor(input.factors + first, count);

    h1.noalias() = w1 * x;
    h1 = tanh_of(h1);
    h2.noalias() = w2 * h1;
    h2 = tanh_of(h2);
    mean.noalias() = w3 * h2;

    shift = mean - behavior;
    ratios = input.precision * (shift.array() * (action - 0.5 * (mean + behavior)).array()).colwise().sum();
    distances = input.precision * shift.colwise().squaredNorm();
    for (std::int64_t t = 0; t < count; ++t) {
      log_ratio[(first + t) / input.length] += ratios[t];
      distance[(first + t) / input.length] += distances[t];
    }

    delta = (input.precision * (action - mean)).array().rowwise() * factor.array();
    g3.noalias() += delta * h2.transpose();
    d2.noalias() = w3.transpose() * delta;
    d2.array() *= 1.0 - h2.array().square();
    g2.noalias() += d2 * h1.transpose();
    d1.noalias() = w2.transpose() * d2;
    d1.array() *= 1.0 - h1.array().square();
    g1.noalias() += d1 * x.transpose();
  }
}

}  // namespace retropg
