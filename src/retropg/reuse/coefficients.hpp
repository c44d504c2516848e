#pragma once

#include <span>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/theory/lambda.hpp"

namespace retropg {

/// How the MPM estimator chooses alpha_i (the share of batch i) and lambda_i (its power-mean correction). M = sum_i N_i
/// trajectories; d_i = exponentiated Renyi divergence of batch i; equal batches give the paper's formulas.
enum class CoefficientRule {
  kAdaptive,            // alpha_i ~ N_i d_i^{-1/2}, lambda_i = sqrt(c / (M d_i)): the paper's practical rule
  kFixed,               // alpha_i = N_i / M, lambda = sqrt(1 / (D M)): RPG-theory
  kBoundOptimal,        // alpha_i ~ N_i / d_i, lambda_i = alpha_i sqrt(c P) / N_i, P = sum N_l / d_l: the minimizer of
                        // the error bound if c = 4 L / 3, L = d ln 6 + ln(1 / delta), which is cautious in practice
  kHistoryIndependent,  // alpha_i = N_i / M, lambda of Theorem 5.1
  kHistoryDependent,    // alpha_i = N_i / M, lambda of Theorem 5.2
  kExplicit,            // given values by age
};

struct CoefficientOptions {
  CoefficientRule rule = CoefficientRule::kAdaptive;
  double constant = 1.0;          // c: 1 in the paper, 4 ln 5 / 3 in its code
  double divergence_bound = 1.0;  // D
  double confidence = 0.2;        // delta
  theory::HistoryDependentBounds bounds{};
  std::vector<double> lambda{};  // by age, 0 = newest; the last value applies to all older batches
  std::vector<double> alpha{};   // by age, renormalized over the batches in the window; empty: N_i / M
};

struct Coefficients {
  std::vector<double> log_alpha, log_lambda;  // one per batch or part, oldest first; log lambda <= 0
};

/// `parameters` is d, the number of policy parameters. `ages` are those of the batches, 0 = newest, where several parts
/// of one batch have its age and its divergence; empty: there are no parts.
Coefficients coefficients(const CoefficientOptions& options, std::span<const Index> sizes,
                          std::span<const double> log_divergence, Index parameters, std::span<const Index> ages = {});

}  // namespace retropg
