#include "retropg/policy/sampler.hpp"

#include "retropg/core/error.hpp"

namespace retropg {

Sampler::Sampler(const Policy& policy, Parameters theta, const RandomStream& random, double spread)
    : theta_(theta.begin(), theta.end()),
      random_(random),
      spread_(spread),
      observation_size_(policy.observation_size()),
      actor_(policy.actor(kChunk, Acting::kSample)),
      observations_(as_size(policy.observation_size() * kChunk), 0.0),
      noise_(as_size(actor_->noise().count * kChunk), 0.0),
      actions_(as_size(policy.action_size() * kChunk), 0.0),
      notes_(actions_.size()),
      action_(as_size(policy.action_size())) {
  require(as_index(theta.size()) == policy.parameter_count(), "the policy has " +
                                                                  std::to_string(policy.parameter_count()) +
                                                                  " parameters, not " + std::to_string(theta.size()));
  require(spread == 1.0 || policy.provides(Capability::kSpread), "this policy only supports spread = 1");
  for (Index i = 0; i < actor_->noise().count; ++i) noise_rows_.push_back(noise_.data() + i * kChunk);
  if (ParameterSampler* sampler = actor_->parameter_sampler()) {
    for (Index lane = 0; lane < kChunk; ++lane) {  // unused lanes act too and need parameters
      RandomStream same = random_;
      const Parameters drawn = sampler->start(theta_, spread_, lane, same);
      parameters_.assign(drawn.begin(), drawn.end());
    }
  }
}

std::span<const double> Sampler::act(std::span<const double> observation) {
  require(as_index(observation.size()) == observation_size_, "the policy expects " + std::to_string(observation_size_) +
                                                                 " observations, not " +
                                                                 std::to_string(observation.size()));
  const bool normal = actor_->noise().kind == Noise::Kind::kNormal;
  for (std::size_t i = 0; i < noise_rows_.size(); ++i) {
    noise_[i * kChunk] = normal ? spread_ * random_.normal() : random_.uniform();
  }
  for (std::size_t i = 0; i < observation.size(); ++i) observations_[i * kChunk] = observation[i];
  actor_->act(theta_, kChunk, observations_.data(), noise_rows_.data(), actions_.data(), notes_.data());
  for (std::size_t u = 0; u < action_.size(); ++u) action_[u] = actions_[u * kChunk];
  return action_;
}

Sampler Policy::sample(Parameters theta, const RandomStream& random, double spread) const {
  return Sampler(*this, theta, random, spread);
}

}  // namespace retropg
