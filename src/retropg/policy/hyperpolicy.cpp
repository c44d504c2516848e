#include "retropg/policy/hyperpolicy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/policy/hyper_evidence.hpp"

namespace retropg {
namespace {

class HyperActor final : public Actor, public ParameterSampler {
 public:
  HyperActor(std::shared_ptr<const HyperModel> model, const Policy& inner, Index lanes, Acting acting)
      : model_(std::move(model)), acting_(acting), means_(inner.lane_means(lanes)), drawn_(as_size(model_->drawn())) {}

  Noise noise() const override { return {}; }
  ParameterSampler* parameter_sampler() override { return this; }

  Parameters start(Parameters xi, double spread, Index lane, RandomStream& random) override {
    std::copy_n(xi.begin(), drawn_.size(), drawn_.begin());
    if (acting_ == Acting::kSample) {
      const std::vector<double> sigma = model_->deviations(xi);
      for (std::size_t i = 0; i < drawn_.size(); ++i) drawn_[i] += spread * sigma[i] * random.normal();
    }
    means_->set(lane, drawn_);
    return drawn_;
  }

  void move(Index from, Index to) override { means_->move(from, to); }

  void act(Parameters, Index active, const double* observations, const double* const*, double* actions,
           double*) override {
    means_->act(active, observations, actions);
  }

 private:
  std::shared_ptr<const HyperModel> model_;
  Acting acting_;
  std::unique_ptr<LaneMeans> means_;
  std::vector<double> drawn_;
};

class Hyperpolicy final : public Policy, public Gathering {
 public:
  Hyperpolicy(std::shared_ptr<const Policy> inner, HyperModel model, std::vector<double> variance)
      : inner_(std::move(inner)),
        model_(std::make_shared<const HyperModel>(std::move(model))),
        variance_(std::move(variance)) {}

  Index observation_size() const override { return inner_->observation_size(); }
  Index action_size() const override { return inner_->action_size(); }
  Index parameter_count() const override { return model_->parameter_count(); }
  std::vector<double> initial_parameters(std::uint64_t seed) const override {
    std::vector<double> xi = inner_->initial_parameters(seed);
    if (model_->learned)
      std::ranges::transform(model_->deviation, std::back_inserter(xi), [](double s) { return std::log(s); });
    return xi;
  }

  bool provides(Capability capability) const override {
    return capability == Capability::kFisher || capability == Capability::kRenyiGradient ||
           capability == Capability::kComponentCredits || capability == Capability::kSpread ||
           capability == Capability::kDrawnParameters;
  }
  bool has_renyi(double) const override { return true; }
  std::optional<PolicyDescription> description() const override {
    std::optional<PolicyDescription> description = inner_->description();
    if (!description) return std::nullopt;
    description->parameters = {.variance = variance_, .learn_deviation = model_->learned};
    description->evidence.clear();  // the inner policy's is not used
    return description;
  }

  std::unique_ptr<Actor> actor(Index lanes, Acting acting) const override {
    return std::make_unique<HyperActor>(model_, *inner_, lanes, acting);
  }
  const Gathering* gathering() const override { return this; }
  std::unique_ptr<Gatherer> gatherer(Index lanes, Credit credit) const override {
    return std::make_unique<HyperGatherer>(model_->drawn(), lanes, credit);
  }
  std::unique_ptr<Evidence> empty_evidence(Parameters xi, Index trajectories) const override {
    return std::make_unique<HyperEvidence>(model_, xi, trajectories);
  }
  bool made(const Evidence& evidence, Parameters behavior) const override {
    const auto* own = dynamic_cast<const HyperEvidence*>(&evidence);
    return own != nullptr && own->belongs_to(*model_, behavior);
  }

  std::unique_ptr<Evidence> digest(Parameters xi, const TrajectoryBatch& batch, double discount,
                                   Credit credit) const override {
    std::vector<double> values = discounted_returns(batch, discount);
    if (credit == Credit::kOne) std::ranges::fill(values, 1.0);
    return digest_values(xi, batch, values, 1);
  }

  std::unique_ptr<Evidence> digest(Parameters xi, const TrajectoryBatch& batch,
                                   std::span<const double> credits) const override {
    const Index width = as_index(credits.size()) == batch.steps() ? 1 : parameter_count();
    require(as_index(credits.size()) == batch.steps() * width,
            "a hyperpolicy takes one credit per step, or one per step and parameter");
    std::vector<double> values;
    for (Index j = 0; j < batch.size(); ++j) {
      const std::span<const double> first = credits.subspan(as_size(batch.begin(j) * width), as_size(width));
      values.insert(values.end(), first.begin(), first.end());
    }
    return digest_values(xi, batch, values, width);
  }

  void running_scores(Parameters xi, const TrajectoryBatch& batch, Index trajectory,
                      std::vector<double>& scores) const override {
    // The only decision comes before the first step.
    require_drawn(batch);
    HyperEvidence one(model_, xi, 1);
    const std::array<double, 1> credit{1.0};
    const std::array<double, kChunk> weights{1.0};
    one.put(0, drawn(batch, trajectory), credit);
    std::vector<double> score(as_size(parameter_count()));
    one.weighted_gradient(xi, weights.data(), 0, 1, score.data(), nullptr);
    scores.clear();
    for (Index t = 0; t < batch.length(trajectory); ++t) scores.insert(scores.end(), score.begin(), score.end());
  }

  std::unique_ptr<Evidence> restore(Parameters xi, Index trajectories, std::span<const double> numbers) const override {
    return std::make_unique<HyperEvidence>(model_, xi, trajectories, numbers);
  }
  Index bytes_per_trajectory(Index) const override {
    return (model_->drawn() + parameter_count()) * as_index(sizeof(double));
  }

  void mean(Parameters xi, std::span<const double> observation, std::span<double> action) const override {
    inner_->mean(xi.first(as_size(model_->drawn())), observation, action);
  }

 private:
  Parameters drawn(const TrajectoryBatch& batch, Index trajectory) const {
    return Parameters(batch.sampled).subspan(as_size(trajectory * model_->drawn()), as_size(model_->drawn()));
  }
  void require_drawn(const TrajectoryBatch& batch) const {
    require(as_index(batch.sampled.size()) == batch.size() * model_->drawn(),
            "trajectories of a hyperpolicy hold " + std::to_string(batch.sampled.size()) +
                " sampled parameters; expected " + std::to_string(model_->drawn()) + " for each of " +
                std::to_string(batch.size()));
    require(all_finite(batch.sampled), "a sampled parameter of the trajectories is not finite");
  }
  /// `values` are the credits, `width` per trajectory.
  std::unique_ptr<Evidence> digest_values(Parameters xi, const TrajectoryBatch& batch, std::span<const double> values,
                                          Index width) const {
    require_drawn(batch);
    auto result = std::make_unique<HyperEvidence>(model_, xi, batch.size(), width);
    for (Index j = 0; j < batch.size(); ++j) {
      result->put(j, drawn(batch, j), values.subspan(as_size(j * width), as_size(width)));
    }
    return result;
  }

  std::shared_ptr<const Policy> inner_;
  std::shared_ptr<const HyperModel> model_;
  std::vector<double> variance_;  // as given
};

}  // namespace

std::unique_ptr<Policy> hyperpolicy(std::shared_ptr<const Policy> inner, const HyperpolicyOptions& options) {
  const auto count = as_size(inner->parameter_count());
  const std::vector<double>& given = options.variance;
  require(given.size() == 1 || given.size() == count, "hyperpolicy.variance has " + std::to_string(given.size()) +
                                                          " numbers; expected 1 or " + std::to_string(count) +
                                                          ", one per parameter of the policy");
  HyperModel model{.deviation = {}, .learned = options.learn_deviation};
  for (std::size_t i = 0; i < count; ++i) {
    const double variance = given[given.size() == 1 ? 0 : i];
    require(std::isfinite(variance) && variance > 0.0 && std::isfinite(1.0 / variance),
            "hyperpolicy.variance must be positive and finite, and so must its inverse");
    model.deviation.push_back(std::sqrt(variance));
  }
  return std::make_unique<Hyperpolicy>(std::move(inner), std::move(model), given);
}

}  // namespace retropg
