#include "retropg/policy/mlp_gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/network/lane_networks.hpp"
#include "retropg/policy/gaussian_options.hpp"
#include "retropg/policy/learned_deviation_gaussian.hpp"
#include "retropg/policy/mlp_evidence.hpp"

namespace retropg {
namespace {

class MlpActor final : public Actor {
 public:
  MlpActor(std::shared_ptr<const MlpModel> model, Index lanes, Acting acting)
      : model_(std::move(model)),
        lanes_(lanes),
        acting_(acting),
        network_(model_->network, lanes),
        inputs_(as_size(lanes * model_->input_size())) {}

  std::shared_ptr<const void> notes_for_digest() const override { return model_; }
  Noise noise() const override { return {.count = acting_ == Acting::kSample ? model_->action_size() : 0}; }

  void act(Parameters theta, Index active, const double* observations, const double* const* noise, double* actions,
           double* notes) override {  // notes: the means
    if (!std::ranges::equal(theta, theta_)) {
      theta_.assign(theta.begin(), theta.end());
      network_.set_parameters(theta);
    }
    const MlpModel& m = *model_;
    for (Index l = 0; l < active; ++l) m.input(observations + l, lanes_, inputs_.data() + l * m.input_size());
    network_.forward(active, {.data = inputs_.data(), .step = as_size(m.input_size()), .input = 1});
    m.scale_means(active, network_.outputs());
    for (Index u = 0; u < m.action_size(); ++u) {
      for (Index l = 0; l < active; ++l) {
        const double mean = network_.outputs()[l * m.action_width() + u];
        notes[u * lanes_ + l] = mean;
        actions[u * lanes_ + l] = acting_ == Acting::kSample ? mean + m.deviation[as_size(u)] * noise[u][l] : mean;
      }
    }
  }

 private:
  std::shared_ptr<const MlpModel> model_;
  Index lanes_;
  Acting acting_;
  Network network_;
  std::vector<double> inputs_, theta_;
};

class MlpLaneMeans final : public LaneMeans {
 public:
  MlpLaneMeans(std::shared_ptr<const MlpModel> model, Index lanes)
      : model_(std::move(model)),
        lanes_(lanes),
        networks_(model_->network, lanes),
        input_(as_size(model_->input_size())) {}

  void set(Index lane, Parameters theta) override { networks_.set(lane, theta); }
  void move(Index from, Index to) override { networks_.move(from, to); }
  void act(Index active, const double* observations, double* actions) override {
    for (Index l = 0; l < active; ++l) {
      model_->input(observations + l, lanes_, input_.data());
      double* mean = networks_.outputs(l, input_.data(), 1);
      model_->scale_means(1, mean);
      for (Index u = 0; u < model_->action_size(); ++u) actions[u * lanes_ + l] = mean[u];
    }
  }

 private:
  std::shared_ptr<const MlpModel> model_;
  Index lanes_;
  LaneNetworks networks_;
  std::vector<double> input_;
};

PolicyDescription described(const MlpGaussianOptions& options) {
  return {.kind = "mlp-gaussian",
          .variance = options.variance,
          .learn_deviation = options.learn_deviation,
          .bias = options.bias,
          .shift = options.shift,
          .scale = options.scale,
          .hidden = options.hidden,
          .activation = name_of(options.activation),
          .action_shift = options.action_shift,
          .action_scale = options.action_scale};
}

class MlpGaussian final : public Policy {
 public:
  MlpGaussian(MlpModel model, const MlpGaussianOptions& options)
      : model_(std::make_shared<const MlpModel>(std::move(model))), description_(described(options)) {}

  Index observation_size() const override { return model_->observation_size(); }
  Index action_size() const override { return model_->action_size(); }
  Index parameter_count() const override { return model_->network.parameter_count(); }
  std::vector<double> initial_parameters(std::uint64_t seed) const override {
    return xavier_uniform(model_->network, seed);
  }
  bool provides(Capability capability) const override {
    return capability != Capability::kDrawnParameters && capability != Capability::kComponentCredits &&
           capability != Capability::kConcave;
  }
  bool has_renyi(double) const override { return true; }
  std::optional<PolicyDescription> description() const override { return description_; }
  std::vector<double> action_deviations(Parameters) const override { return model_->deviation; }
  std::unique_ptr<Actor> actor(Index lanes, Acting acting) const override {
    return std::make_unique<MlpActor>(model_, lanes, acting);
  }
  std::unique_ptr<LaneMeans> lane_means(Index lanes) const override {
    return std::make_unique<MlpLaneMeans>(model_, lanes);
  }
  using Policy::digest;
  std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch,
                                   std::span<const double> credits) const override {
    require(as_index(credits.size()) == batch.steps(), "a network takes one credit per step");
    return std::make_unique<MlpEvidence>(model_, theta, batch, credits);
  }
  bool made(const Evidence& evidence, Parameters behavior) const override {
    const auto* own = dynamic_cast<const MlpEvidence*>(&evidence);
    return own != nullptr && own->belongs_to(*model_, behavior);
  }
  void running_scores(Parameters theta, const TrajectoryBatch& batch, Index trajectory,
                      std::vector<double>& scores) const override {
    const MlpModel& m = *model_;
    const auto width = as_size(m.action_width()), count = as_size(parameter_count());
    // Padding: vector loads read past the end of the input.
    std::vector<double> input(kernels::padded_units(as_size(m.input_size())), 0.0);
    std::vector<double> action(width, 0.0), slope = m.precision;
    for (std::size_t u = 0; u < m.action_scale.size(); ++u) slope[u] *= m.action_scale[u];
    Network network(m.network, 1);
    network.set_parameters(theta);
    scores.resize(as_size(batch.length(trajectory)) * count);
    const double one = 1.0;
    for (Index t = 0; t < batch.length(trajectory); ++t) {
      const Index step = batch.begin(trajectory) + t;
      m.input(batch.observations.data() + step * m.observation_size(), 1, input.data());
      std::copy_n(batch.actions.data() + step * m.action_size(), m.action_size(), action.data());
      network.forward(1, {.data = input.data(), .step = 0, .input = 1});
      m.scale_means(1, network.outputs());
      kernels::mean_cotangent(1, width, network.outputs(), action.data(), width, &one, slope.data(),
                              network.cotangent());
      network.backward(1, input.data(), 0);
      double* score = scores.data() + as_size(t) * count;
      network.take_gradient(score);
      if (t == 0) continue;
      for (std::size_t i = 0; i < count; ++i) score[i] += (score - count)[i];
    }
  }
  std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                    std::span<const double> numbers) const override {
    return std::make_unique<MlpEvidence>(model_, theta, trajectories, numbers);
  }
  Index bytes_per_trajectory(Index horizon) const override {
    return StepBlock::bytes_per_trajectory(horizon, model_->row_size());
  }
  Index bytes_of_pass(Index trajectories, Index horizon) const override {
    const double steps = static_cast<double>(trajectories) * static_cast<double>(horizon);
    const double activations = steps * static_cast<double>(model_->network.storage_width());
    return static_cast<Index>(std::min(activations, static_cast<double>(kMostActivations))) * as_index(sizeof(double));
  }
  void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const override {
    std::vector<double> input(as_size(model_->input_size()));
    model_->input(observation.data(), 1, input.data());
    Network network(model_->network, 1);
    network.set_parameters(theta);
    network.forward(1, {.data = input.data(), .step = 0, .input = 1});
    model_->scale_means(1, network.outputs());
    std::copy_n(network.outputs(), model_->action_size(), action.data());
  }

 private:
  std::shared_ptr<const MlpModel> model_;
  PolicyDescription description_;
};

std::unique_ptr<Policy> with_learned_deviations(MlpModel model, const MlpGaussianOptions& options) {
  LearnedDeviationModel learned;
  learned.input = std::move(model.features);
  learned.network = std::move(model.network);
  learned.action_shift = std::move(model.action_shift);
  learned.action_scale = std::move(model.action_scale);
  learned.deviation = std::move(model.deviation);
  return learned_deviation_gaussian(std::move(learned), MeanStart::kXavier, described(options));
}

}  // namespace

std::unique_ptr<Policy> mlp_gaussian(const MlpGaussianOptions& options) {
  check_sizes(options.observation_size, options.action_size);
  MlpModel model;
  model.features = {.observation_size = options.observation_size,
                    .bias = options.bias,
                    .shift = options.shift,
                    .scale = options.scale};
  check_network_input(model.features);
  model.network =
      network_shape(model.features.kept_count(), options.hidden, options.action_size, options.activation, options.bias);
  check_affine("policy.action_shift", options.action_shift, "policy.action_scale", options.action_scale,
               options.action_size, "action");
  model.action_shift = options.action_shift;
  model.action_scale = options.action_scale;
  for (const double variance : variances(options.variance, options.action_size)) {
    model.deviation.push_back(std::sqrt(variance));
    model.precision.push_back(1.0 / variance);
  }
  if (options.learn_deviation) return with_learned_deviations(std::move(model), options);
  model.precision.resize(kernels::padded_units(model.precision.size()), 0.0);
  return std::make_unique<MlpGaussian>(std::move(model), options);
}

}  // namespace retropg
