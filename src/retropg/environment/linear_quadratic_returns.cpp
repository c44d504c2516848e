#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <vector>

#include "retropg/environment/linear_quadratic.hpp"

namespace retropg {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix matrix(const std::vector<double>& entries, Eigen::Index rows) {
  return Eigen::Map<const Matrix>(entries.data(), rows, static_cast<Eigen::Index>(entries.size()) / rows);
}

bool has_no_negative_direction(const Matrix& symmetric) {
  constexpr double kRounding = 1e-12;
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
  return values.minCoeff() >= -kRounding * values.cwiseAbs().maxCoeff();
}

}  // namespace

ReturnRange linear_quadratic_range(const LinearQuadraticOptions& options) {
  const auto states = static_cast<Eigen::Index>(options.start_range.size());
  const Eigen::Index actions = static_cast<Eigen::Index>(options.input.size()) / states;
  const bool costs = has_no_negative_direction(matrix(options.state_cost, states)) &&
                     has_no_negative_direction(matrix(options.action_cost, actions));
  return costs ? ReturnRange{.largest = 0.0} : ReturnRange{};
}

std::optional<ReferenceReturns> linear_quadratic_references(const LinearQuadraticOptions& options, Index horizon,
                                                            double discount) {
  const auto states = static_cast<Eigen::Index>(options.start_range.size());
  const Matrix dynamics = matrix(options.dynamics, states), input = matrix(options.input, states);
  const Matrix state_cost = matrix(options.state_cost, states), action_cost = matrix(options.action_cost, input.cols());
  Matrix cost = Matrix::Zero(states, states);  // P_t
  double noise_cost = 0.0;
  for (Index t = 0; t < horizon; ++t) {
    const Matrix next = discount * cost;
    const Matrix pull = input.transpose() * next * dynamics;
    const Eigen::LLT<Matrix> curvature(action_cost + input.transpose() * next * input);
    if (curvature.info() != Eigen::Success) return std::nullopt;  // no action is best
    noise_cost = discount * noise_cost + options.process_noise * options.process_noise * next.trace();
    cost = state_cost + dynamics.transpose() * next * dynamics - pull.transpose() * curvature.solve(pull);
  }
  double best = -noise_cost;
  for (Eigen::Index i = 0; i < states; ++i)
    best -= cost(i, i) * options.start_range[as_size(i)] * options.start_range[as_size(i)] / 3.0;
  // The mean cost depends on the actions' second moments only: 1/3 for actions uniform over [-1, 1].
  const std::vector<double> still(options.input.size(), 0.0), spread(as_size(input.cols()), 1.0 / 3.0);
  return ReferenceReturns{.random = linear_quadratic_exact(options, still, spread, horizon, discount).value,
                          .best = best};
}

}  // namespace retropg
