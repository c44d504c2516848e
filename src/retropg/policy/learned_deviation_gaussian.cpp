#include "retropg/policy/learned_deviation_gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/policy/learned_deviation_evidence.hpp"

namespace retropg {
namespace {

class LearnedDeviationActor final : public Actor {
 public:
  LearnedDeviationActor(std::shared_ptr<const LearnedDeviationModel> model, Index lanes, Acting acting)
      : model_(std::move(model)),
        lanes_(lanes),
        acting_(acting),
        features_(model_->input, lanes),
        network_(model_->network, lanes) {}

  std::shared_ptr<const void> notes_for_digest() const override { return model_; }
  Noise noise() const override { return {.count = acting_ == Acting::kSample ? model_->action_size() : 0}; }

  void act(Parameters theta, Index active, const double* observations, const double* const* noise, double* actions,
           double* notes) override {  // notes: the means
    if (!std::ranges::equal(theta, theta_)) {
      theta_.assign(theta.begin(), theta.end());
      network_.set_parameters(theta);
      sigma_ = model_->deviations(theta).sigma;
    }
    network_.forward(active, {.data = features_(observations), .step = 1, .input = as_size(lanes_)});
    model_->scale_means(active, network_.outputs());
    for (Index u = 0; u < model_->action_size(); ++u) {
      for (Index l = 0; l < active; ++l) {
        const double mean = network_.outputs()[l * network_.output_width() + u];
        notes[u * lanes_ + l] = mean;
        actions[u * lanes_ + l] = acting_ == Acting::kSample ? mean + sigma_[as_size(u)] * noise[u][l] : mean;
      }
    }
  }

 private:
  std::shared_ptr<const LearnedDeviationModel> model_;
  Index lanes_;
  Acting acting_;
  FeatureRows features_;
  Network network_;
  std::vector<double> theta_, sigma_;
};

class LearnedDeviationGaussian final : public Policy {
 public:
  LearnedDeviationGaussian(LearnedDeviationModel model, MeanStart start, PolicyDescription description)
      : model_(std::make_shared<const LearnedDeviationModel>(std::move(model))),
        start_(start),
        description_(std::move(description)) {}

  Index observation_size() const override { return model_->input.observation_size; }
  Index action_size() const override { return model_->action_size(); }
  Index parameter_count() const override { return model_->parameter_count(); }
  std::optional<PolicyDescription> description() const override { return description_; }
  std::vector<double> action_deviations(Parameters theta) const override { return model_->deviations(theta).sigma; }
  std::vector<double> initial_parameters(std::uint64_t seed) const override {
    std::vector<double> theta = start_ == MeanStart::kXavier
                                    ? xavier_uniform(model_->network, seed)
                                    : std::vector<double>(as_size(model_->network.parameter_count()), 0.0);
    for (const double sigma : model_->deviation) theta.push_back(std::log(sigma));
    return theta;
  }

  bool provides(Capability capability) const override {
    return capability == Capability::kSteps || capability == Capability::kFisher ||
           capability == Capability::kRenyiGradient || capability == Capability::kDivergence;
  }
  bool has_renyi(double) const override { return true; }

  std::unique_ptr<Actor> actor(Index lanes, Acting acting) const override {
    return std::make_unique<LearnedDeviationActor>(model_, lanes, acting);
  }

  using Policy::digest;
  std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch,
                                   std::span<const double> credits) const override {
    require(as_index(credits.size()) == batch.steps(), "a policy with learned deviations takes one credit per step");
    return std::make_unique<LearnedDeviationEvidence>(model_, theta, batch, credits);
  }
  bool made(const Evidence& evidence, Parameters behavior) const override {
    const auto* own = dynamic_cast<const LearnedDeviationEvidence*>(&evidence);
    return own != nullptr && own->belongs_to(*model_, behavior);
  }
  std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                    std::span<const double> numbers) const override {
    return std::make_unique<LearnedDeviationEvidence>(model_, theta, trajectories, numbers);
  }
  Index bytes_per_trajectory(Index horizon) const override {
    return StepBlock::bytes_per_trajectory(horizon, model_->row_size());
  }

  void running_scores(Parameters theta, const TrajectoryBatch& batch, Index trajectory,
                      std::vector<double>& scores) const override {
    const auto means = as_size(model_->network.parameter_count()), count = as_size(parameter_count());
    const Deviations own = model_->deviations(theta);
    // Padding: vector loads read past the end of the input.
    std::vector<double> input(kernels::padded_units(as_size(model_->input.feature_count())), 0.0);
    Network network(model_->network, 1);
    network.set_parameters(theta);
    std::vector<double> running(count, 0.0), score(count);
    scores.clear();
    for (Index t = batch.begin(trajectory); t < batch.begin(trajectory + 1); ++t) {
      forward(network, batch.observations.data() + t * observation_size(), input.data());
      for (Index u = 0; u < action_size(); ++u) {
        const auto at = as_size(u);
        const double z = (batch.actions[as_size(t * action_size() + u)] - network.outputs()[u]) / own.sigma[at];
        network.cotangent()[u] = (z / own.sigma[at]) * model_->action_slope(u);
        score[means + at] = (z * z - 1.0) * own.slope[at];
      }
      network.backward(1, input.data(), 0);
      network.take_gradient(score.data());
      std::ranges::transform(running, score, running.begin(), std::plus());
      scores.insert(scores.end(), running.begin(), running.end());
    }
  }

  void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const override {
    std::vector<double> input(as_size(model_->input.feature_count()));
    Network network(model_->network, 1);
    network.set_parameters(theta);
    forward(network, observation.data(), input.data());
    std::copy_n(network.outputs(), action_size(), action.data());
  }

 private:
  /// The mean for one observation; its features go to `input`.
  void forward(Network& network, const double* observation, double* input) const {
    model_->input.features(1, observation, input);
    network.forward(1, {.data = input, .step = 0, .input = 1});
    model_->scale_means(1, network.outputs());
  }

  std::shared_ptr<const LearnedDeviationModel> model_;
  MeanStart start_;
  PolicyDescription description_;
};

}  // namespace

std::unique_ptr<Policy> learned_deviation_gaussian(LearnedDeviationModel model, MeanStart start,
                                                   PolicyDescription description) {
  return std::make_unique<LearnedDeviationGaussian>(std::move(model), start, std::move(description));
}

}  // namespace retropg
