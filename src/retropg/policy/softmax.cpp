#include "retropg/policy/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/network/lane_networks.hpp"
#include "retropg/policy/gaussian_options.hpp"
#include "retropg/policy/softmax_evidence.hpp"

namespace retropg {
namespace {

class SoftmaxActor final : public Actor {
 public:
  SoftmaxActor(std::shared_ptr<const SoftmaxModel> model, Index lanes, Acting acting)
      : model_(std::move(model)),
        lanes_(lanes),
        acting_(acting),
        features_(model_->input, lanes),
        network_(model_->network, lanes) {}

  Noise noise() const override { return {.kind = Noise::Kind::kUniform, .count = acting_ == Acting::kSample ? 1 : 0}; }

  void act(Parameters theta, Index active, const double* observations, const double* const* noise, double* actions,
           double* notes) override {  // notes: nothing
    if (!std::ranges::equal(theta, theta_)) {
      theta_.assign(theta.begin(), theta.end());
      network_.set_parameters(theta);
    }
    network_.forward(active, {.data = features_(observations), .step = 1, .input = as_size(lanes_)});
    const double* logits = network_.outputs();
    for (Index l = 0; l < active; ++l, logits += model_->logit_width()) {
      actions[l] = acting_ == Acting::kSample ? model_->drawn_action(logits, noise[0][l]) : model_->best_action(logits);
      notes[l] = 0.0;
    }
  }

 private:
  std::shared_ptr<const SoftmaxModel> model_;
  Index lanes_;
  Acting acting_;
  FeatureRows features_;
  Network network_;
  std::vector<double> theta_;
};

class SoftmaxLaneMeans final : public LaneMeans {
 public:
  SoftmaxLaneMeans(std::shared_ptr<const SoftmaxModel> model, Index lanes)
      : model_(std::move(model)), lanes_(lanes), features_(model_->input, lanes), networks_(model_->network, lanes) {}

  void set(Index lane, Parameters theta) override { networks_.set(lane, theta); }
  void move(Index from, Index to) override { networks_.move(from, to); }
  void act(Index active, const double* observations, double* actions) override {
    const double* features = features_(observations);
    for (Index l = 0; l < active; ++l) {
      actions[l] = model_->best_action(networks_.outputs(l, features + l, lanes_));
    }
  }

 private:
  std::shared_ptr<const SoftmaxModel> model_;
  Index lanes_;
  FeatureRows features_;
  LaneNetworks networks_;
};

enum class Start { kZero, kXavier };

class Softmax final : public Policy {
 public:
  Softmax(SoftmaxModel model, Start start, PolicyDescription description)
      : model_(std::make_shared<const SoftmaxModel>(std::move(model))),
        start_(start),
        description_(std::move(description)) {}

  Index observation_size() const override { return model_->input.observation_size; }
  Index action_size() const override { return 1; }
  Index parameter_count() const override { return model_->network.parameter_count(); }
  std::vector<double> initial_parameters(std::uint64_t seed) const override {
    if (start_ == Start::kZero) return std::vector<double>(as_size(parameter_count()), 0.0);
    return xavier_uniform(model_->network, seed);
  }

  bool provides(Capability capability) const override {
    return capability == Capability::kSteps || capability == Capability::kFisher ||
           capability == Capability::kRenyiGradient || capability == Capability::kDivergence;
  }
  bool has_renyi(double) const override { return true; }
  std::optional<PolicyDescription> description() const override { return description_; }

  std::unique_ptr<Actor> actor(Index lanes, Acting acting) const override {
    return std::make_unique<SoftmaxActor>(model_, lanes, acting);
  }
  std::unique_ptr<LaneMeans> lane_means(Index lanes) const override {
    return std::make_unique<SoftmaxLaneMeans>(model_, lanes);
  }

  using Policy::digest;
  std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch,
                                   std::span<const double> credits) const override {
    require(as_index(credits.size()) == batch.steps(), "a softmax policy takes one credit per step");
    return std::make_unique<SoftmaxEvidence>(model_, theta, batch, credits);
  }
  bool made(const Evidence& evidence, Parameters behavior) const override {
    const auto* own = dynamic_cast<const SoftmaxEvidence*>(&evidence);
    return own != nullptr && own->belongs_to(*model_, behavior);
  }
  std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                    std::span<const double> numbers) const override {
    return std::make_unique<SoftmaxEvidence>(model_, theta, trajectories, numbers);
  }
  Index bytes_per_trajectory(Index horizon) const override {
    return StepBlock::bytes_per_trajectory(horizon, model_->row_size());
  }

  void running_scores(Parameters theta, const TrajectoryBatch& batch, Index trajectory,
                      std::vector<double>& scores) const override {
    const auto actions = as_size(model_->action_count()), count = as_size(parameter_count());
    // Padding: vector loads read past the end of the input.
    std::vector<double> input(kernels::padded_units(as_size(model_->input.feature_count())), 0.0);
    Network network(model_->network, 1);
    network.set_parameters(theta);
    std::vector<double> running(count, 0.0), score(count);
    scores.clear();
    for (Index t = batch.begin(trajectory); t < batch.begin(trajectory + 1); ++t) {
      model_->input.features(1, batch.observations.data() + t * observation_size(), input.data());
      network.forward(1, {.data = input.data(), .step = 0, .input = 1});
      model_->normalize(1, network.outputs());
      for (std::size_t a = 0; a < actions; ++a) network.cotangent()[a] = -std::exp(network.outputs()[a]);
      network.cotangent()[model_->action(batch.actions[as_size(t)], t)] += 1.0;
      network.backward(1, input.data(), 0);
      network.take_gradient(score.data());
      std::ranges::transform(running, score, running.begin(), std::plus());
      scores.insert(scores.end(), running.begin(), running.end());
    }
  }

  void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const override {
    std::vector<double> input(as_size(model_->input.feature_count()));
    model_->input.features(1, observation.data(), input.data());
    Network network(model_->network, 1);
    network.set_parameters(theta);
    network.forward(1, {.data = input.data(), .step = 0, .input = 1});
    action[0] = model_->best_action(network.outputs());
  }

 private:
  std::shared_ptr<const SoftmaxModel> model_;
  Start start_;
  PolicyDescription description_;
};

PolicyDescription described(const std::string& kind, const SoftmaxOptions& options) {
  return {.kind = kind,
          .bias = options.bias,
          .shift = options.shift,
          .scale = options.scale,
          .action_count = options.action_count};
}

FeatureMap input_of(const SoftmaxOptions& options) {
  check_sizes(options.observation_size, options.action_count);
  return {.observation_size = options.observation_size,
          .bias = options.bias,
          .shift = options.shift,
          .scale = options.scale};
}

}  // namespace

std::unique_ptr<Policy> softmax_linear(const SoftmaxOptions& options) {
  FeatureMap input = input_of(options);
  check(input);
  // The constant is an input like any other, so that Theta is laid out as in `linear_gaussian`.
  NetworkShape network{.sizes = {input.feature_count(), options.action_count}};
  return std::make_unique<Softmax>(SoftmaxModel{.input = std::move(input), .network = std::move(network)}, Start::kZero,
                                   described("softmax-linear", options));
}

std::unique_ptr<Policy> softmax_mlp(const SoftmaxOptions& options, const std::vector<Index>& hidden,
                                    Activation activation) {
  FeatureMap input = input_of(options);
  check_network_input(input);
  NetworkShape network = network_shape(input.kept_count(), hidden, options.action_count, activation, options.bias);
  PolicyDescription description = described("softmax-mlp", options);
  description.hidden = hidden;
  description.activation = name_of(activation);
  return std::make_unique<Softmax>(SoftmaxModel{.input = std::move(input), .network = std::move(network)},
                                   Start::kXavier, std::move(description));
}

}  // namespace retropg
