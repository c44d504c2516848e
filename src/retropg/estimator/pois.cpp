#include "retropg/estimator/pois.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/solver/conjugate_gradient.hpp"
#include "retropg/estimator/fisher.hpp"
#include "retropg/solver/line_search.hpp"

namespace retropg {
namespace {

constexpr double kLeastNorm = 1e-4;  // smallest norm of the gradient, in the metric of the direction
constexpr double kLeastGain = 1e-4;
constexpr ConjugateGradientOptions kNaturalOptions{.damping = 1e-2, .tolerance = 1e-10, .iterations = 10};

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class Pois final : public Estimator {
 public:
  explicit Pois(const PoisOptions& options) : options_(options) {}

  std::vector<Draw> plan(Index, Parameters theta, Index limit, const OrderedSum&) override {
    return draw_at(theta, options_.batch, limit);
  }

  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    Batch& batch = fresh.front();
    PoisBound bound(*batch.evidence, values(batch), options_.bound, sum);
    Estimate result{.gradient = {}, .diagnostics = {}, .parameters = {theta.begin(), theta.end()}};
    std::vector<double>& current = result.parameters;
    for (Index i = 0; i < options_.offline; ++i) {
      const PoisBound::Point here = bound.value_and_gradient(current);
      if (i == 0) result.gradient = here.gradient;
      const std::vector<double> direction = direction_at(current, here.gradient, *batch.evidence, sum);
      const double square = inner(here.gradient, direction);
      if (!(std::sqrt(square) >= kLeastNorm)) break;  // also stops at a NaN
      const auto moved = [&](double step) {
        std::vector<double> next = current;
        for (std::size_t p = 0; p < next.size(); ++p) next[p] += step / square * direction[p];
        return next;
      };
      const LineSearch search = parabolic_search([&](double step) { return bound.value(moved(step)) - here.value; });
      if (search.step > 0.0) current = moved(search.step);
      if (search.gain < kLeastGain) break;
    }
    bound.value(current);
    result.diagnostics = bound.diagnostics();
    return result;
  }

  Credit credit() const override { return Credit::kOne; }
  Index largest_iteration() const override { return options_.batch; }
  double iterations_within(double budget) const override { return batches_within(budget, options_.batch); }
  double bytes_needed(double bytes_per_trajectory, double) const override {
    return static_cast<double>(options_.batch) * bytes_per_trajectory;
  }
  void state(Archive&) override {}

 private:
  std::vector<double> values(const Batch& batch) const {
    std::vector<double> result = batch.values.empty() ? batch.returns : batch.values;
    const double center = options_.centered ? mean(result) : 0.0;
    for (double& value : result) value -= center;
    return result;
  }

  std::vector<double> direction_at(Parameters theta, const std::vector<double>& gradient, const Evidence& evidence,
                                   const OrderedSum& sum) const {
    if (!options_.natural) return gradient;
    const FisherMatrix fisher(evidence, theta, 1.0 / static_cast<double>(evidence.size()), sum);
    if (options_.diagonal) return solved_by_diagonal(fisher, gradient);
    std::vector<double> natural = conjugate_gradient(fisher, gradient, kNaturalOptions);
    return inner(gradient, natural) < 0.0 ? gradient : natural;
  }

  PoisOptions options_;
};

}  // namespace

std::unique_ptr<Estimator> pois(const Policy& policy, const PoisOptions& options) {
  if (options.bound.count == PenaltyCount::kDivergence) require_capability(policy, Capability::kRenyiGradient, "pois");
  require(policy.has_renyi(2.0), "this policy has no closed-form Renyi divergence of order 2, which pois needs");
  if (options.natural) require_capability(policy, Capability::kFisher, "the natural direction of pois");
  require(options.batch >= 1, "the batch must hold at least one trajectory");
  require(options.batch > 1 || !(options.centered || options.bound.self_normalized),
          "a batch of one trajectory gives no gradient with centered returns or self-normalized weights: use a larger "
          "algo.batch, or set pois.centered = false and pois.self_normalized = false");
  require(options.offline >= 1, "pois.offline must be at least 1");
  require(options.bound.delta > 0.0 && options.bound.delta <= 1.0, "pois.delta must be a number > 0 and <= 1");
  return std::make_unique<Pois>(options);
}

}  // namespace retropg
