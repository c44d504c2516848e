#include "retropg/estimator/behavior_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>

#include "retropg/core/numerics.hpp"
#include "retropg/optimizer/optimizer.hpp"

#include "retropg/policy/evidence_sum.hpp"

namespace retropg {
namespace {

using Rows = std::function<void(const WeightedBatch& batch, Index first, Index last, double* rows)>;

/// The sum over all batches of one row per chunk.
std::vector<double> total_rows(std::span<const WeightedBatch> data, std::size_t width, const OrderedSum& sum,
                               const Rows& fill) {
  std::vector<double> total(width, 0.0), part(width);
  for (const WeightedBatch& batch : data) {
    sum_rows(
        *batch.evidence, sum, [&](Index first, Index last, double* rows) { fill(batch, first, last, rows); }, part);
    for (std::size_t i = 0; i < width; ++i) total[i] += part[i];
  }
  return total;
}

/// sum_n W_n sum_t grad log pi_theta(a_t | s_t)
std::vector<double> weighted_scores(std::span<const WeightedBatch> data, Parameters theta, const OrderedSum& sum) {
  return total_rows(data, theta.size(), sum, [&](const WeightedBatch& batch, Index first, Index last, double* rows) {
    const StepwiseEvidence& steps = *batch.evidence;
    std::vector<double> weights;
    for (Index j = first * kChunk; j < last * kChunk; ++j) {
      const Index count = (steps.first_step(j + 1) - steps.first_step(j)) * steps.credit_width();
      weights.insert(weights.end(), as_size(count), batch.weights[as_size(j)]);
    }
    steps.weighted_score(theta, weights.data(), first, last, rows);
  });
}

/// The maximum of a quadratic log-likelihood; empty if its matrix is singular.
std::vector<double> closed_form_fit(std::span<const WeightedBatch> data, Parameters theta, const OrderedSum& sum) {
  const auto d = static_cast<Eigen::Index>(theta.size());
  Eigen::MatrixXd matrix(d, d);
  std::vector<double> unit(theta.size(), 0.0);
  for (Eigen::Index i = 0; i < d; ++i) {
    unit[as_size(i)] = 1.0;
    const std::vector<double> column =
        total_rows(data, theta.size(), sum, [&](const WeightedBatch& batch, Index first, Index last, double* rows) {
          as<FisherEvidence>(*batch.evidence)
              .fisher_product(theta, batch.weights.data() + first * kChunk, unit, first, last, rows);
        });
    unit[as_size(i)] = 0.0;
    matrix.col(i) = Eigen::Map<const Eigen::VectorXd>(column.data(), d);
  }
  const std::vector<double> scores = weighted_scores(data, theta, sum);
  const Eigen::LDLT<Eigen::MatrixXd> factors(matrix);
  constexpr double kSingular = 1e-12;  // relative to the largest pivot
  if (!(factors.vectorD().minCoeff() > kSingular * factors.vectorD().maxCoeff())) return {};
  const Eigen::VectorXd step = factors.solve(Eigen::Map<const Eigen::VectorXd>(scores.data(), d));
  std::vector<double> fitted(theta.begin(), theta.end());
  for (std::size_t i = 0; i < fitted.size(); ++i) fitted[i] += step[static_cast<Eigen::Index>(i)];
  return fitted;
}

/// The KL divergence between the policies at theta and at other, summed over all trajectories, in nats.
double divergence(std::span<const WeightedBatch> data, Parameters theta, Parameters other, const OrderedSum& sum) {
  const auto fill = [&](const WeightedBatch& batch, Index first, Index last, double* rows) {
    const StepwiseEvidence& steps = *batch.evidence;
    const Index begin = steps.first_step(first * kChunk);
    std::vector<double> divergences(as_size(steps.first_step(last * kChunk) - begin));
    steps.step_divergences(theta, other, first, last, divergences.data());
    for (Index chunk = first; chunk < last; ++chunk, ++rows) {
      *rows = 0.0;
      for (Index t = steps.first_step(chunk * kChunk); t < steps.first_step((chunk + 1) * kChunk); ++t) {
        *rows += divergences[as_size(t - begin)];
      }
    }
  };
  return total_rows(data, 1, sum, fill)[0];
}

std::vector<double> ascent_fit(std::span<const WeightedBatch> data, Parameters theta, const BehaviorFitOptions& options,
                               const OrderedSum& sum) {
  double trajectories = 0.0;
  for (const WeightedBatch& batch : data) trajectories += static_cast<double>(batch.evidence->size());
  std::vector<double> fitted(theta.begin(), theta.end());
  const auto optimizer = adam({.rate = options.rate});
  for (Index step = 0; step < options.steps; ++step) {
    std::vector<double> gradient = weighted_scores(data, fitted, sum);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] = gradient[i] / trajectories - options.decay * fitted[i];
    }
    if (!all_finite(gradient)) return {};
    if (norm(gradient) < options.tolerance) break;
    std::vector<double> next = fitted;
    if (!optimizer->ascend(next, gradient)) return {};
    if (options.divergence > 0.0 && divergence(data, theta, next, sum) > options.divergence * trajectories) break;
    fitted = std::move(next);
  }
  return fitted;
}

/// -2 sum_n W_n sum_t log pi(a_t | s_t) over sum_n W_n T_n: the mean square of the noise.
double mean_square(std::span<const WeightedBatch> data, Parameters theta, const OrderedSum& sum) {
  const std::vector<double> total =
      total_rows(data, 2, sum, [&](const WeightedBatch& batch, Index first, Index last, double* rows) {
        const StepwiseEvidence& steps = *batch.evidence;
        const Index begin = steps.first_step(first * kChunk);
        std::vector<double> log_densities(as_size(steps.first_step(last * kChunk) - begin));
        steps.step_log_densities(theta, first, last, log_densities.data());
        for (Index chunk = first; chunk < last; ++chunk, rows += 2) {
          rows[0] = rows[1] = 0.0;
          for (Index j = chunk * kChunk; j < (chunk + 1) * kChunk; ++j) {
            for (Index t = steps.first_step(j); t < steps.first_step(j + 1); ++t) {
              rows[0] += batch.weights[as_size(j)] * (-2.0 * log_densities[as_size(t - begin)]);
              rows[1] += batch.weights[as_size(j)];
            }
          }
        }
      });
  return total[0] / total[1];
}

}  // namespace

FittedBehavior fit_behavior(const Policy& policy, Parameters theta, std::span<const WeightedBatch> data,
                            const BehaviorFitOptions& options, const OrderedSum& sum) {
  const FittedBehavior policy_itself{.theta = {theta.begin(), theta.end()}};
  std::vector<double> fitted =
      policy.provides(Capability::kConcave) ? closed_form_fit(data, theta, sum) : ascent_fit(data, theta, options, sum);
  if (fitted.empty() || !all_finite(fitted)) return policy_itself;
  const double spread = std::sqrt(mean_square(data, fitted, sum) / static_cast<double>(policy.action_size()));
  if (!std::isfinite(spread)) return policy_itself;
  return {.theta = std::move(fitted), .spread = std::clamp(spread, options.spread_low, options.spread_high)};
}

std::vector<double> gradient_norms(const Evidence& evidence, Parameters theta, const OrderedSum& sum) {
  const Index chunks = chunk_count(evidence.size());
  std::vector<double> norms(as_size(chunks * kChunk), 0.0), alone(norms.size());
  // A chunk's row is a sum over its trajectories; with a single nonzero weight it is that trajectory's gradient.
  for (Index k = 0; k < kChunk; ++k) {
    for (Index j = 0; j < chunks * kChunk; ++j) {
      alone[as_size(j)] = j % kChunk == k && j < evidence.size() ? 1.0 : 0.0;
    }
    for_chunks(evidence, sum, [&](Index first, Index last) {
      std::vector<double> rows(as_size(last - first) * theta.size());
      evidence.weighted_gradient(theta, alone.data() + first * kChunk, first, last, rows.data(), nullptr);
      for (Index chunk = first; chunk < last; ++chunk) {
        norms[as_size(chunk * kChunk + k)] =
            norm(std::span(rows).subspan(as_size(chunk - first) * theta.size(), theta.size()));
      }
    });
  }
  norms.resize(as_size(evidence.size()));
  return norms;
}

}  // namespace retropg
