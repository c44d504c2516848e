#include "retropg/policy/hyper_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/policy/gaussian_divergence.hpp"
#include "retropg/policy/gaussian_options.hpp"

namespace retropg {

std::vector<double> HyperModel::deviations(Parameters xi) const {
  if (!learned) return deviation;
  std::vector<double> result(deviation.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::exp(xi[result.size() + i]);
  return result;
}

HyperEvidence::HyperEvidence(std::shared_ptr<const HyperModel> model, Parameters behavior, Index trajectories,
                             Index credit_width)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      trajectories_(trajectories),
      credit_width_(credit_width),
      numbers_(as_size(trajectories * width()), 0.0) {}

HyperEvidence::HyperEvidence(std::shared_ptr<const HyperModel> model, Parameters behavior, Index trajectories,
                             std::span<const double> numbers)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      trajectories_(trajectories),
      credit_width_(as_index(numbers.size()) == trajectories * (model_->drawn() + 1) ? 1 : model_->parameter_count()),
      numbers_(numbers.begin(), numbers.end()) {
  require(as_index(numbers.size()) == trajectories * width(),
          "the size of the saved evidence does not match its policy");
}

void HyperEvidence::put(Index trajectory, Parameters drawn, std::span<const double> credit) {
  std::ranges::copy(credit, std::ranges::copy(drawn, numbers_.begin() + trajectory * width()).out);
}

bool HyperEvidence::belongs_to(const HyperModel& model, Parameters behavior) const {
  return (model_.get() == &model || *model_ == model) && std::ranges::equal(behavior, behavior_);
}

double HyperEvidence::renyi(Parameters xi, double order) const {
  const std::size_t count = as_size(model_->drawn());
  const std::vector<double> sigma_b = model_->deviations(behavior_);
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double shift = (xi[i] - behavior_[i]) / sigma_b[i];
    const double square = renyi_factor(order) * shift * shift;
    if (!model_->learned) {
      sum += square;
      continue;
    }
    const double change = xi[count + i] - behavior_[count + i];      // s - s_b
    const double excess = (order - 1.0) * std::expm1(2.0 * change);  // 1 - v
    if (excess >= 1.0) return std::numeric_limits<double>::infinity();
    sum += square / (1.0 - excess) + deviation_renyi(order, change, excess);
  }
  return sum;
}

void HyperEvidence::compare(Parameters xi, double order, Index first, Index last, double* log_ratio, double* renyi,
                            EvidencePass*) const {
  const std::size_t count = as_size(model_->drawn());
  const std::vector<double> sigma = model_->deviations(xi), sigma_b = model_->deviations(behavior_);
  std::vector<double> growth(count, 0.0);  // e^{s - s_b} - 1
  double log_scale = 0.0;                  // sum of s_b - s
  for (std::size_t i = 0; model_->learned && i < count; ++i) {
    const double change = xi[count + i] - behavior_[count + i];
    growth[i] = std::expm1(change);
    log_scale -= change;
  }
  const double divergence = this->renyi(xi, order);
  for (Index j = first * kChunk; j < last * kChunk; ++j, ++log_ratio, ++renyi) {
    *log_ratio = *renyi = 0.0;
    if (j >= trajectories_) continue;
    const double* theta = drawn(j);
    double sum = log_scale;
    for (std::size_t i = 0; i < count; ++i) {
      const double from_behavior = theta[i] - behavior_[i];
      const double difference = (xi[i] - behavior_[i] + from_behavior * growth[i]) / sigma[i];
      sum += 0.5 * difference * (from_behavior / sigma_b[i] + (theta[i] - xi[i]) / sigma[i]);
    }
    *log_ratio = sum;
    *renyi = divergence;
  }
}

void HyperEvidence::weighted_gradient(Parameters xi, const double* weights, Index first, Index last, double* rows,
                                      EvidencePass*) const {
  const Index count = model_->drawn(), parameters = model_->parameter_count();
  const Index next = credit_width_ == 1 ? 0 : 1;  // stride between the credits of two components
  const std::vector<double> sigma = model_->deviations(xi);
  for (Index chunk = first; chunk < last; ++chunk, rows += parameters) {
    std::fill_n(rows, parameters, 0.0);
    for (Index j = chunk * kChunk; j < (chunk + 1) * kChunk; ++j, ++weights) {
      if (j >= trajectories_) continue;
      const double *theta = drawn(j), *credit = theta + count;
      for (Index i = 0; i < count; ++i) {
        const double z = (theta[i] - xi[as_size(i)]) / sigma[as_size(i)];
        rows[i] += *weights * credit[i * next] * (z / sigma[as_size(i)]);
        if (model_->learned) rows[count + i] += *weights * credit[(count + i) * next] * (z * z - 1.0);
      }
    }
  }
}

void HyperEvidence::renyi_gradient(Parameters xi, const double* weights, Index first, Index last, double* rows) const {
  const std::size_t count = as_size(model_->drawn()), parameters = as_size(model_->parameter_count());
  const std::vector<double> sigma_b = model_->deviations(behavior_);
  std::vector<double> slope(parameters);
  for (std::size_t i = 0; i < count; ++i) {
    const double excess = model_->learned ? std::expm1(2.0 * (xi[count + i] - behavior_[count + i])) : 0.0;  // r - 1
    const double shift = (xi[i] - behavior_[i]) / sigma_b[i], room = std::max(1.0 - excess, 0.0);            // 2 - r
    slope[i] = 2.0 * shift / (sigma_b[i] * room);
    if (model_->learned) {
      slope[count + i] = 2.0 * (shift * shift * (1.0 + excess) / (room * room) + excess / room);
    }
  }
  for (Index chunk = first; chunk < last; ++chunk, rows += parameters, weights += kChunk) {
    const double weight = chunk_sum(weights);
    for (std::size_t i = 0; i < parameters; ++i) rows[i] = weight * slope[i];
  }
}

void HyperEvidence::fisher_product(Parameters xi, const double* weights, Parameters vector, Index first, Index last,
                                   double* rows) const {
  const std::size_t count = as_size(model_->drawn()), parameters = as_size(model_->parameter_count());
  const std::vector<double> sigma = model_->deviations(xi);
  for (Index chunk = first; chunk < last; ++chunk, rows += parameters, weights += kChunk) {
    const double weight = chunk_sum(weights);
    for (std::size_t i = 0; i < parameters; ++i) {
      rows[i] = weight * (i < count ? vector[i] / (sigma[i] * sigma[i]) : 2.0 * vector[i]);
    }
  }
}

Index HyperEvidence::grain() const {
  constexpr Index kNumbers = 16384;  // read and written by a task of about ten microseconds
  return std::clamp<Index>(kNumbers / (kChunk * model_->drawn()), 1, kCheapGrain);
}

HyperGatherer::HyperGatherer(Index drawn, Index lanes, Credit credit)
    : credit_(credit), drawn_(as_size(lanes), std::vector<double>(as_size(drawn))) {}

void HyperGatherer::start(Index lane, Parameters sampled) {
  std::ranges::copy(sampled, drawn_[as_size(lane)].begin());
}

void HyperGatherer::finish(Index lane, Index trajectory, double value, Evidence& evidence) {
  const std::array<double, 1> credit{credit_ == Credit::kOne ? 1.0 : value};
  // The same policy made the evidence.
  static_cast<HyperEvidence&>(evidence).put(trajectory, drawn_[as_size(lane)], credit);
}

void HyperGatherer::move(Index from, Index to) {
  drawn_[as_size(to)].swap(drawn_[as_size(from)]);
}

}  // namespace retropg
