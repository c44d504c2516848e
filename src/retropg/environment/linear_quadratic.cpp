#include "retropg/environment/linear_quadratic.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

struct Sizes {
  std::size_t state, action;
};

std::size_t side_of_square(std::string_view name, std::span<const double> entries) {
  const auto side = as_size(std::lround(std::sqrt(static_cast<double>(entries.size()))));
  require(
      side >= 1 && side * side == entries.size(),
      fmt::format("LinearQuadratic: {} has {} entries, expected a square matrix (1, 4, 9, ...)", name, entries.size()));
  return side;
}

void require_numbers(std::string_view name, std::span<const double> entries, std::size_t count) {
  require(entries.size() == count,
          fmt::format("LinearQuadratic: {} has {} entries, expected {}", name, entries.size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    require(std::isfinite(entries[i]),
            fmt::format("LinearQuadratic: entry {} of {} is {}, expected a finite number", i, name, entries[i]));
  }
}

void require_not_negative(std::string_view name, std::span<const double> entries, std::size_t count) {
  require_numbers(name, entries, count);
  const auto low = std::ranges::min_element(entries);
  require(*low >= 0.0,
          fmt::format("LinearQuadratic: entry {} of {} is {}, expected at least 0", low - entries.begin(), name, *low));
}

void require_symmetric(std::string_view name, std::span<const double> entries, std::size_t side) {
  require_numbers(name, entries, side * side);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double lower = entries[i * side + j], upper = entries[j * side + i];
      require(lower == upper, fmt::format("LinearQuadratic: {} has {} at ({}, {}) and {} at ({}, {}), expected a "
                                          "symmetric matrix",
                                          name, lower, i, j, upper, j, i));
    }
  }
}

/// Options are called as their keys of the configuration, where most of them come from.
Sizes checked_sizes(const LinearQuadraticOptions& options) {
  const Sizes size{.state = side_of_square("lqr.dynamics", options.dynamics),
                   .action = side_of_square("lqr.action_cost", options.action_cost)};
  require_numbers("lqr.dynamics", options.dynamics, size.state * size.state);
  require_numbers("lqr.input", options.input, size.state * size.action);
  require_symmetric("lqr.state_cost", options.state_cost, size.state);
  require_symmetric("lqr.action_cost", options.action_cost, size.action);
  require_not_negative("lqr.start_range", options.start_range, size.state);
  require(std::isfinite(options.process_noise) && options.process_noise >= 0.0,
          fmt::format("LinearQuadratic: lqr.process_noise is {}, expected a finite number of at least 0",
                      options.process_noise));
  return size;
}

/// Row i of a row-major matrix times x.
double row_product(std::span<const double> matrix, std::size_t i, std::span<const double> x) {
  double sum = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += matrix[i * x.size() + j] * x[j];
  return sum;
}

double quadratic_form(std::span<const double> matrix, std::span<const double> x) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * row_product(matrix, i, x);
  return sum;
}

class LinearQuadratic final : public Environment {
 public:
  LinearQuadratic(const LinearQuadraticOptions& options, Sizes size, Index lanes)
      : options_(options),
        size_(size),
        lanes_(as_size(lanes)),
        state_(size.state * lanes_),
        random_(lanes_, RandomStream(StreamName{})),
        before_(size.state),
        action_(size.action) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    const auto l = as_size(lane);
    for (std::size_t i = 0; i < size_.state; ++i) {
      const double range = options_.start_range[i];
      state_[i * lanes_ + l] = observations[i * lanes_ + l] = random.uniform(-range, range);
    }
    random_[l] = random;  // the process noise continues the stream of the start state
  }

  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      step.ended[l] = LaneStep::kRunning;
      if (step.live[l] > 0.0) {
        step.rewards[l] = advance(l, step.actions);
        for (std::size_t i = 0; i < size_.state; ++i) step.observations[i * lanes_ + l] = state_[i * lanes_ + l];
      } else {
        step.rewards[l] = 0.0;
        for (std::size_t i = 0; i < size_.state; ++i) step.observations[i * lanes_ + l] = 0.0;
      }
    }
  }

  void move(Index from, Index to) override {
    const auto source = as_size(from), target = as_size(to);
    for (std::size_t i = 0; i < size_.state; ++i) state_[i * lanes_ + target] = state_[i * lanes_ + source];
    random_[target] = random_[source];
  }

 private:
  /// Advances one lane and returns its reward.
  double advance(std::size_t lane, std::span<const double> actions) {
    for (std::size_t i = 0; i < size_.state; ++i) before_[i] = state_[i * lanes_ + lane];
    for (std::size_t u = 0; u < size_.action; ++u) action_[u] = actions[u * lanes_ + lane];
    for (std::size_t i = 0; i < size_.state; ++i) {
      double next = row_product(options_.dynamics, i, before_) + row_product(options_.input, i, action_);
      if (options_.process_noise > 0.0) next += options_.process_noise * random_[lane].normal();
      state_[i * lanes_ + lane] = next;
    }
    return -(quadratic_form(options_.state_cost, before_) + quadratic_form(options_.action_cost, action_));
  }

  LinearQuadraticOptions options_;
  Sizes size_;
  std::size_t lanes_;
  std::vector<double> state_;
  std::vector<RandomStream> random_;     // one per lane
  std::vector<double> before_, action_;  // of the current lane
};

/// s1, s2, ...
std::vector<std::string> numbered(char letter, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

}  // namespace

EnvironmentDefinition linear_quadratic(const LinearQuadraticOptions& options) {
  const Sizes size = checked_sizes(options);
  return {.id = "LinearQuadratic-v0",
          .observation_size = as_index(size.state),
          .action_size = as_index(size.action),
          .horizon = 20,
          .discount = 1.0,
          .make = [options, size](Index lanes) { return std::make_unique<LinearQuadratic>(options, size, lanes); },
          .observation_names = numbered('s', size.state),
          .action_names = numbered('a', size.action),
          .range = [options](Index, double) { return linear_quadratic_range(options); },
          .references = [options](Index horizon,
                                  double discount) { return linear_quadratic_references(options, horizon, discount); }};
}

ExactGradient linear_quadratic_exact(const LinearQuadraticOptions& options, std::span<const double> theta,
                                     std::span<const double> variance, Index horizon, double discount) {
  const Sizes size = checked_sizes(options);
  require_numbers("theta", theta, size.action * size.state);
  require_not_negative("variance", variance, size.action);
  require(horizon >= 1, fmt::format("LinearQuadratic: the horizon is {}, expected at least 1", horizon));
  require(discount >= 0.0 && discount <= 1.0,
          fmt::format("LinearQuadratic: the discount is {}, expected a number in [0, 1]", discount));

  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto d_s = static_cast<Eigen::Index>(size.state), d_a = static_cast<Eigen::Index>(size.action);
  const auto matrix = [](std::span<const double> entries, Eigen::Index rows, Eigen::Index columns) -> Matrix {
    return Eigen::Map<const Matrix>(entries.data(), rows, columns);
  };
  const Matrix input = matrix(options.input, d_s, d_a), action_cost = matrix(options.action_cost, d_a, d_a);
  const Matrix gain = matrix(theta, d_a, d_s), covariance = matrix(variance, d_a, 1).col(0).asDiagonal();
  const Matrix closed_loop = matrix(options.dynamics, d_s, d_s) + input * gain;                      // L
  const Matrix cost = matrix(options.state_cost, d_s, d_s) + gain.transpose() * action_cost * gain;  // C
  const Matrix noise = input * covariance * input.transpose() +
                       options.process_noise * options.process_noise * Matrix::Identity(d_s, d_s);

  std::vector<Matrix> moments;  // M_t = E[s_t s_t']: second moments, not covariances
  moments.reserve(as_size(horizon));
  moments.push_back(matrix(options.start_range, d_s, 1).col(0).array().square().matrix().asDiagonal() * (1.0 / 3.0));
  while (std::ssize(moments) < horizon) {
    moments.push_back(closed_loop * moments.back() * closed_loop.transpose() + noise);
  }

  // Backward in time by x_t = (term of step t) + gamma x_{t+1}, so that no powers of gamma are needed.
  double value = 0.0;
  Matrix gradient = Matrix::Zero(d_a, d_s), to_go = Matrix::Zero(d_s, d_s);  // to_go: gamma P_{t+1}
  for (auto moment = moments.rbegin(); moment != moments.rend(); ++moment) {
    value = discount * value - (cost * *moment).trace() - (action_cost * covariance).trace();
    gradient = discount * gradient - 2.0 * (action_cost * gain + input.transpose() * to_go * closed_loop) * *moment;
    to_go = discount * (cost + closed_loop.transpose() * to_go * closed_loop);
  }
  return {.value = value, .gradient{gradient.data(), gradient.data() + gradient.size()}};
}

}  // namespace retropg
