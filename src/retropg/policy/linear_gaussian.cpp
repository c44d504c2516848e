#include "retropg/policy/linear_gaussian.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/function_ref.hpp"
#include "retropg/kernels/linear.hpp"
#include "retropg/policy/gaussian_options.hpp"
#include "retropg/policy/linear_model.hpp"
#include "retropg/policy/moment_evidence.hpp"
#include "retropg/policy/step_evidence.hpp"
#include "retropg/policy/step_gatherer.hpp"

namespace retropg {
namespace {

class LinearActor final : public Actor {
 public:
  LinearActor(std::shared_ptr<const LinearModel> model, Index lanes, Acting acting)
      : model_(std::move(model)), lanes_(lanes), features_(*model_, lanes) {
    if (acting == Acting::kSample) return;
    zeros_.resize(as_size(lanes), 0.0);
    no_noise_.resize(as_size(model_->action_size), zeros_.data());
  }

  Noise noise() const override { return {.count = no_noise_.empty() ? model_->action_size : 0}; }

  void act(Parameters theta, Index active, const double* observations, const double* const* noise, double* actions,
           double* notes) override {  // notes: the residuals a - mu
    kernels::linear_gaussian_act(as_size(active), as_size(lanes_), as_size(model_->feature_count()),
                                 as_size(model_->action_size), theta.data(), model_->deviation.data(),
                                 features_(observations), no_noise_.empty() ? noise : no_noise_.data(), actions, notes);
  }

  std::span<const double> linear_deviation() const override {
    if (!no_noise_.empty() || !model_->plain_features()) return {};
    return model_->deviation;
  }

 private:
  std::shared_ptr<const LinearModel> model_;
  Index lanes_;
  FeatureRows features_;
  std::vector<double> zeros_;            // noise for mean actions
  std::vector<const double*> no_noise_;  // empty if actions are sampled
};

class LinearLaneMeans final : public LaneMeans {
 public:
  LinearLaneMeans(std::shared_ptr<const LinearModel> model, Index lanes)
      : model_(std::move(model)),
        lanes_(lanes),
        features_(*model_, lanes),
        theta_(as_size(model_->parameter_count() * lanes), 0.0) {}

  void set(Index lane, Parameters theta) override {
    double* next = theta_.data() + lane;
    for (const double number : theta) {
      *next = number;
      next += lanes_;
    }
  }
  void move(Index from, Index to) override {
    for (double* row = theta_.data(); row < theta_.data() + theta_.size(); row += lanes_) row[to] = row[from];
  }
  void act(Index active, const double* observations, double* actions) override {
    kernels::linear_lane_means(as_size(active), as_size(lanes_), as_size(model_->feature_count()),
                               as_size(model_->action_size), theta_.data(), features_(observations), actions);
  }

 private:
  std::shared_ptr<const LinearModel> model_;
  Index lanes_;
  FeatureRows features_;
  std::vector<double> theta_;  // one row of lanes per parameter
};

/// Feeds stored steps to a gatherer as if they were being simulated, kLanes trajectories at a time; `reward` gives what
/// a step adds to the credit of itself and all earlier steps.
void replay(const Policy& policy, Parameters theta, const TrajectoryBatch& batch, Credit credit, Evidence& evidence,
            FunctionRef<double(Index trajectory, Index step)> reward_of) {
  constexpr Index kLanes = 8;
  const Index observations = policy.observation_size(), actions = policy.action_size();
  const auto gatherer = policy.gathering()->gatherer(kLanes, credit);
  const auto actor = policy.actor(kLanes, Acting::kMean);
  std::vector<double> columns(as_size((observations + actions) * kLanes));
  std::vector<double> mean(as_size(actions * kLanes));
  double* residuals = columns.data() + observations * kLanes;
  std::array<double, kLanes> reward, live, value;
  for (Index group = 0; group < batch.size(); group += kLanes) {
    const Index count = std::min(kLanes, batch.size() - group);
    value.fill(0.0);
    Index longest = 0;
    for (Index lane = 0; lane < count; ++lane) longest = std::max(longest, batch.length(group + lane));
    for (Index t = 0; t < longest; ++t) {
      const auto is_live = [&](Index lane) { return lane < count && t < batch.length(group + lane); };
      for (Index lane = 0; lane < count; ++lane) {
        if (!is_live(lane)) continue;
        const double* from = batch.observations.data() + (batch.begin(group + lane) + t) * observations;
        for (Index i = 0; i < observations; ++i) columns[as_size(i * kLanes + lane)] = from[i];
      }
      actor->act(theta, kLanes, columns.data(), nullptr, mean.data(), residuals);
      for (Index lane = 0; lane < kLanes; ++lane) {
        const auto l = as_size(lane);
        live[l] = is_live(lane) ? 1.0 : 0.0;
        reward[l] = 0.0;
        if (!is_live(lane)) continue;
        const Index at = batch.begin(group + lane) + t;
        for (Index u = 0; u < actions; ++u) {
          residuals[u * kLanes + lane] = batch.actions[as_size(at * actions + u)] - mean[as_size(u * kLanes + lane)];
        }
        reward[l] = reward_of(group + lane, at);
        value[l] += reward[l];
      }
      gatherer->add({.lanes = kLanes,
                     .active = kLanes,
                     .steps = 1,
                     .columns = columns.data(),
                     .rewards = reward.data(),
                     .live = live.data(),
                     .all_live = false});
    }
    for (Index lane = 0; lane < count; ++lane) {
      gatherer->finish(lane, group + lane, value[as_size(lane)], evidence);
    }
  }
}

class LinearGaussian final : public Policy, public Gathering {
 public:
  LinearGaussian(LinearModel model, const LinearGaussianOptions& options)
      : model_(std::make_shared<const LinearModel>(std::move(model))),
        kind_(options.evidence),
        credit_width_(options.component_credits ? model_->parameter_count() : 1),
        description_{.kind = "linear-gaussian",
                     .variance = options.variance,
                     .bias = options.bias,
                     .shift = options.shift,
                     .scale = options.scale,
                     .evidence = options.evidence == EvidenceKind::kMoments ? "moments" : "steps"} {}

  Index observation_size() const override { return model_->observation_size; }
  Index action_size() const override { return model_->action_size; }
  Index parameter_count() const override { return model_->parameter_count(); }
  std::vector<double> initial_parameters(std::uint64_t) const override {
    return std::vector<double>(as_size(parameter_count()), 0.0);
  }

  bool provides(Capability capability) const override {
    const bool of_steps = capability == Capability::kSteps || capability == Capability::kComponentCredits;
    return capability != Capability::kDrawnParameters && (!of_steps || kind_ == EvidenceKind::kSteps);
  }
  bool has_renyi(double) const override { return true; }
  std::optional<PolicyDescription> description() const override { return description_; }
  std::span<const double> action_deviations() const override { return model_->deviation; }

  std::unique_ptr<Actor> actor(Index lanes, Acting acting) const override {
    return std::make_unique<LinearActor>(model_, lanes, acting);
  }
  std::unique_ptr<LaneMeans> lane_means(Index lanes) const override {
    return std::make_unique<LinearLaneMeans>(model_, lanes);
  }

  const Gathering* gathering() const override { return this; }
  std::unique_ptr<Gatherer> gatherer(Index lanes, Credit credit) const override {
    if (kind_ == EvidenceKind::kSteps) return std::make_unique<StepGatherer>(model_, lanes, credit);
    return std::make_unique<MomentGatherer>(model_, lanes, credit);
  }
  std::unique_ptr<Evidence> empty_evidence(Parameters theta, Index trajectories) const override {
    if (kind_ == EvidenceKind::kSteps) return std::make_unique<StepEvidence>(model_, theta, trajectories);
    return std::make_unique<MomentEvidence>(model_, theta, trajectories);
  }

  void settle(Evidence& evidence) const override {
    if (kind_ == EvidenceKind::kSteps) static_cast<StepEvidence&>(evidence).settle();
  }

  bool made(const Evidence& evidence, Parameters behavior) const override {
    if (const auto* steps = dynamic_cast<const StepEvidence*>(&evidence)) {
      return kind_ == EvidenceKind::kSteps && steps->belongs_to(*model_, behavior);
    }
    const auto* moments = dynamic_cast<const MomentEvidence*>(&evidence);
    return kind_ == EvidenceKind::kMoments && moments != nullptr && moments->belongs_to(*model_, behavior);
  }

  std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch, double discount,
                                   Credit credit) const override {
    if (kind_ == EvidenceKind::kSteps) return digest(theta, batch, step_credits(batch, discount, credit));
    auto moments = empty_evidence(theta, batch.size());
    std::vector<double> rewards = batch.rewards;
    for (Index j = 0; j < batch.size(); ++j) {
      double factor = 1.0;
      for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t, factor *= discount) {
        rewards[as_size(t)] = factor * rewards[as_size(t)];
      }
    }
    replay(*this, theta, batch, credit, *moments, [&](Index, Index step) { return rewards[as_size(step)]; });
    return moments;
  }

  std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch,
                                   std::span<const double> credits) const override {
    if (kind_ == EvidenceKind::kSteps) return std::make_unique<StepEvidence>(model_, theta, batch, credits);
    require(as_index(credits.size()) == batch.steps(),
            "moment evidence takes one credit per step; per-parameter credits need evidence made of steps");
    // The credit of a step is the sum of what it and all later steps add.
    auto moments = empty_evidence(theta, batch.size());
    replay(*this, theta, batch, Credit::kRewardToGo, *moments, [&](Index trajectory, Index step) {
      const auto at = as_size(step);
      return step + 1 < batch.begin(trajectory + 1) ? credits[at] - credits[at + 1] : credits[at];
    });
    return moments;
  }

  void running_scores(Parameters theta, const TrajectoryBatch& batch, Index trajectory,
                      std::vector<double>& scores) const override {
    const Index features = model_->feature_count(), actions = model_->action_size, count = features * actions;
    std::vector<double> feature(as_size(features)), mean(as_size(actions));
    std::vector<double> running(as_size(count), 0.0);
    scores.clear();
    for (Index t = batch.begin(trajectory); t < batch.begin(trajectory + 1); ++t) {
      model_->features(1, batch.observations.data() + t * model_->observation_size, feature.data());
      model_->mean(theta, feature.data(), mean.data());
      for (Index i = 0; i < count; ++i) {
        const auto u = as_size(i / features), v = as_size(i % features);
        const double residual = batch.actions[as_size(t * actions) + u] - mean[u];
        running[as_size(i)] += residual * model_->precision[u] * feature[v];
      }
      scores.insert(scores.end(), running.begin(), running.end());
    }
  }

  std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                    std::span<const double> numbers) const override {
    if (kind_ == EvidenceKind::kSteps) return std::make_unique<StepEvidence>(model_, theta, trajectories, numbers);
    return std::make_unique<MomentEvidence>(model_, theta, trajectories, numbers);
  }

  Index bytes_per_trajectory(Index horizon) const override {
    const Index numbers =
        kind_ == EvidenceKind::kSteps ? step_numbers(*model_, horizon, credit_width_) : moment_numbers(*model_);
    return numbers * as_index(sizeof(double));
  }

  void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const override {
    std::vector<double> features(as_size(model_->feature_count()));
    model_->features(1, observation.data(), features.data());
    model_->mean(theta, features.data(), action.data());
  }

  static Index moment_numbers(const LinearModel& model) {
    const Index features = model.feature_count();
    return features * (features + 1) + 2 * features * model.action_size;
  }
  static Index step_numbers(const LinearModel& model, Index horizon, Index credit_width) {
    // One more number for the index of the trajectory's first step.
    return horizon * (model.feature_count() + 2 * model.action_size + credit_width) + 2;
  }

 private:
  std::shared_ptr<const LinearModel> model_;
  EvidenceKind kind_;
  Index credit_width_;
  PolicyDescription description_;
};

LinearModel checked_model(const LinearGaussianOptions& options) {
  check_sizes(options.observation_size, options.action_size);
  LinearModel model{{.observation_size = options.observation_size,
                     .bias = options.bias,
                     .shift = options.shift,
                     .scale = options.scale},
                    options.action_size};
  check(model);
  for (const double variance : variances(options.variance, options.action_size)) {
    model.deviation.push_back(std::sqrt(variance));
    model.precision.push_back(1.0 / variance);
  }
  return model;
}

}  // namespace

std::unique_ptr<Policy> linear_gaussian(const LinearGaussianOptions& options) {
  return std::make_unique<LinearGaussian>(checked_model(options), options);
}

EvidenceKind cheaper_evidence(const LinearGaussianOptions& options, Index horizon) {
  const LinearModel model = checked_model(options);
  const bool moments = LinearGaussian::moment_numbers(model) <= LinearGaussian::step_numbers(model, horizon, 1);
  return moments ? EvidenceKind::kMoments : EvidenceKind::kSteps;
}

}  // namespace retropg
