#include "retropg/estimator/rnpg.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/solver/conjugate_gradient.hpp"
#include "retropg/estimator/fisher.hpp"
#include "retropg/estimator/windowed.hpp"

namespace retropg {
namespace {

constexpr double kLeastDamping = 1e-8;

/// Up to this many parameters the system is solved to rounding error. Beyond that, every product is a pass through the
/// network: the solution is approximate, and its residual is recorded.
constexpr Index kFewParameters = 128;
constexpr double kExactTolerance = 1e-12, kNetworkTolerance = 1e-6;
constexpr Index kNetworkIterations = 20;

class Rnpg final : public Estimator {
 public:
  Rnpg(const Policy& policy, const RnpgOptions& options)
      : options_(options),
        miw_(windowed(policy, {.batch = options.batch, .window = options.window}, multiple_importance_weights())) {}

  std::vector<Draw> plan(Index k, Parameters theta, Index limit, const OrderedSum& sum) override {
    return miw_->plan(k, theta, limit, sum);
  }

  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    const Evidence& evidence = *fresh.front().evidence;  // the newest batch of the window from the next line on
    const auto decisions =
        static_cast<double>(std::accumulate(fresh.front().lengths.begin(), fresh.front().lengths.end(), Index{0}));
    require(decisions > 0.0, "rnpg needs the lengths of its trajectories");
    Estimate result = miw_->estimate(theta, std::move(fresh), sum);
    if (!all_finite(result.gradient)) return result;
    const FisherMatrix fisher(evidence, theta, 1.0 / decisions, sum);
    double residual = 0.0;
    result.gradient = natural(fisher, result.gradient, residual);
    result.diagnostics.residual = residual;
    if (options_.step) result.parameters = stepped(fisher, theta, result.gradient);
    return result;
  }

  std::optional<ReturnEstimate> value(Parameters theta, const OrderedSum& sum) override {
    return miw_->value(theta, sum);
  }

  bool reuses() const override { return miw_->reuses(); }
  std::optional<Draw> stored_draw(const DrawId& id) const override { return miw_->stored_draw(id); }
  void add_late(Batch batch) override { miw_->add_late(std::move(batch)); }
  void keep() override { miw_->keep(); }
  void discard() override { miw_->discard(); }
  Index largest_iteration() const override { return miw_->largest_iteration(); }
  double iterations_within(double budget) const override { return miw_->iterations_within(budget); }
  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    return miw_->bytes_needed(bytes_per_trajectory, iterations);
  }
  void state(Archive& archive) override { miw_->state(archive); }

 private:
  std::vector<double> natural(const FisherMatrix& fisher, const std::vector<double>& gradient, double& residual) const {
    const auto d = as_index(gradient.size());
    const bool few = d <= kFewParameters;
    return conjugate_gradient(
        fisher, gradient,
        {.damping = std::max(kLeastDamping, options_.damping * fisher.trace() / static_cast<double>(d)),
         .tolerance = few ? kExactTolerance : kNetworkTolerance,
         .iterations = few ? 4 * d : kNetworkIterations},  // d would suffice in exact arithmetic
        &residual);
  }

  std::vector<double> stepped(const FisherMatrix& fisher, Parameters theta,
                              const std::vector<double>& direction) const {
    std::vector<double> image(direction.size());
    fisher(direction, image);
    const double curvature = std::inner_product(direction.begin(), direction.end(), image.begin(), 0.0);
    double step = *options_.step;
    if (options_.kl_limit > 0.0 && 0.5 * step * step * curvature > options_.kl_limit) {
      step = std::sqrt(2.0 * options_.kl_limit / curvature);
    }
    std::vector<double> next(theta.begin(), theta.end());
    for (std::size_t i = 0; i < next.size(); ++i) next[i] += step * direction[i];
    const double radius = norm(next);
    if (options_.projection > 0.0 && radius > options_.projection) {
      for (double& parameter : next) parameter *= options_.projection / radius;
    }
    return next;
  }

  RnpgOptions options_;
  std::unique_ptr<Estimator> miw_;
};

}  // namespace

std::unique_ptr<Estimator> rnpg(const Policy& policy, const RnpgOptions& options) {
  require_capability(policy, Capability::kFisher, "rnpg");
  require(options.damping >= 0.0 && options.kl_limit >= 0.0 && options.projection >= 0.0,
          "rnpg.damping, rnpg.kl_limit and rnpg.projection must not be negative");
  return std::make_unique<Rnpg>(policy, options);
}

}  // namespace retropg
