#include "retropg/policy/mlp_evidence.hpp"

#include <algorithm>
#include <utility>

#include "retropg/policy/gaussian_options.hpp"
#include "retropg/policy/step_layout.hpp"

namespace retropg {
namespace {

/// Sum of a padded row in index order.
double sum(std::span<const double> values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

}  // namespace

/// The activations of all steps at theta, tile by tile, for the chunks whose flag is set.
class MlpPass final : public EvidencePass {
 public:
  void restart(Parameters theta, Index chunks, Index activations) {
    theta_.assign(theta.begin(), theta.end());
    kept_.assign(as_size(chunks), 0);
    if (activations > kMostActivations) activations = 0;
    // Not zeroed first: it may be as large as the evidence.
    if (activations > capacity_) activations_ = std::make_unique_for_overwrite<double[]>(as_size(activations));
    capacity_ = std::max(capacity_, activations);
    keeps_ = activations > 0;
  }
  bool keeps(Parameters theta) const { return keeps_ && std::ranges::equal(theta, theta_); }
  double* activations() const { return activations_.get(); }
  void keep(Index chunk) { kept_[as_size(chunk)] = 1; }
  bool has(Index chunk) const { return kept_[as_size(chunk)] != 0; }

 private:
  std::vector<double> theta_;
  std::vector<char> kept_;  // one flag per chunk
  std::unique_ptr<double[]> activations_;
  Index capacity_ = 0;
  bool keeps_ = false;
};

void MlpModel::input(const double* observation, Index stride, double* input) const {
  for (Index i = 0; i < observation_size(); ++i) {
    const FeatureMap::Scaling scaled = features.scaling(i);
    if (scaled.scale != 0.0) *input++ = scaled(observation[i * stride]);
  }
  if (features.bias) *input = 1.0;
}

void MlpModel::scale_means(Index steps, double* outputs) const {
  scale_outputs(action_shift, action_scale, steps, action_width(), outputs);
}

MlpEvidence::MlpEvidence(std::shared_ptr<const MlpModel> model, Parameters behavior, const TrajectoryBatch& batch,
                         std::span<const double> credits)
    : model_(std::move(model)), behavior_(behavior.begin(), behavior.end()), steps_(batch, model_->row_size()) {
  const MlpModel& m = *model_;
  for (Index t = 0; t < batch.steps(); ++t) {
    double* row = steps_.step(t);
    m.input(batch.observations.data() + t * m.observation_size(), 1, row);
    std::copy_n(batch.actions.data() + t * m.action_size(), m.action_size(), row + m.action_at());
    row[m.credit_at()] = credits[as_size(t)];
  }
  if (!batch.notes.empty() && batch.noted_by == model_ && batch.noted == behavior_) {  // the actor noted its means
    for (Index t = 0; t < batch.steps(); ++t) {
      std::copy_n(batch.notes.data() + t * m.action_size(), m.action_size(), steps_.step(t) + m.behavior_at());
    }
    return;
  }
  Network network(m.network, kMlpTile);
  network.set_parameters(behavior);
  for (Index first = 0; first < batch.steps(); first += kMlpTile) {
    const Index count = std::min(kMlpTile, batch.steps() - first);
    network.forward(count, {.data = step(first), .step = as_size(m.row_size()), .input = 1});
    m.scale_means(count, network.outputs());
    for (Index t = 0; t < count; ++t) {
      std::copy_n(network.outputs() + t * m.action_width(), m.action_size(), steps_.step(first + t) + m.behavior_at());
    }
  }
}

MlpEvidence::MlpEvidence(std::shared_ptr<const MlpModel> model, Parameters behavior, Index trajectories,
                         std::span<const double> numbers)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      steps_(trajectories, model_->row_size(), numbers) {}

bool MlpEvidence::belongs_to(const MlpModel& model, Parameters behavior) const {
  return (model_.get() == &model || *model_ == model) && std::ranges::equal(behavior, behavior_);
}

void MlpEvidence::begin_pass(Parameters theta, std::unique_ptr<EvidencePass>& pass) const {
  if (dynamic_cast<MlpPass*>(pass.get()) == nullptr) pass = std::make_unique<MlpPass>();
  static_cast<MlpPass&>(*pass).restart(theta, chunk_count(size()), begin(size()) * model_->network.storage_width());
}

void MlpEvidence::compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
                          EvidencePass* given) const {
  const MlpModel& m = *model_;
  const auto stride = as_size(m.row_size()), width = as_size(m.action_width());
  if (std::ranges::equal(theta, behavior_)) {  // nothing to compute; the gradient does its own forward pass
    std::fill_n(log_ratio, (last - first) * kChunk, 0.0);
    std::fill_n(renyi, (last - first) * kChunk, 0.0);
    return;
  }
  auto* pass = static_cast<MlpPass*>(given);
  const bool keep = pass != nullptr && pass->keeps(theta);
  Network network(m.network, kMlpTile);
  network.set_parameters(theta);
  std::vector<double> ratios(kChunk * width), distances(kChunk * width);
  for (Index chunk = first; chunk < last; ++chunk, log_ratio += kChunk, renyi += kChunk) {
    std::ranges::fill(ratios, 0.0);
    std::ranges::fill(distances, 0.0);
    const Index end = begin((chunk + 1) * kChunk);
    for (Index t = begin(chunk * kChunk); t < end; t += kMlpTile) {
      const Index count = std::min(kMlpTile, end - t);
      if (keep) network.use_storage(pass->activations() + t * m.network.storage_width());
      network.forward(count, {.data = step(t), .step = stride, .input = 1});
      m.scale_means(count, network.outputs());
      for (Index k = 0; k < kChunk; ++k) {  // the part of each trajectory in this tile
        const Index from = std::max(begin(chunk * kChunk + k), t);
        const Index to = std::min(begin(chunk * kChunk + k + 1), t + count);
        if (from >= to) continue;
        const std::size_t sums = as_size(k) * width;
        kernels::compare_means(as_size(to - from), width, network.outputs() + (from - t) * m.action_width(), width,
                               step(from) + m.action_at(), step(from) + m.behavior_at(), stride, m.precision.data(),
                               ratios.data() + sums, distances.data() + sums);
      }
    }
    if (keep) pass->keep(chunk);
    for (std::size_t k = 0; k < kChunk; ++k) {
      log_ratio[k] = sum(std::span(ratios).subspan(k * width, width));
      renyi[k] = renyi_factor(order) * sum(std::span(distances).subspan(k * width, width));
    }
  }
}

void MlpEvidence::weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                                    EvidencePass* pass) const {
  pull_back(theta, credited_weights(*this, weights, first, last).data(), model_->action_at(), first, last, rows,
            static_cast<const MlpPass*>(pass));
}

void MlpEvidence::step_credits(Index first, Index last, double* credits) const {
  steps_.column(model_->credit_at(), first, last, credits);
}

void MlpEvidence::step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const {
  const MlpModel& m = *model_;
  const Index end = begin(last * kChunk);
  Network network(m.network, kMlpTile);
  network.set_parameters(theta);
  for (Index t = begin(first * kChunk); t < end; t += kMlpTile) {
    const Index count = std::min(kMlpTile, end - t);
    network.forward(count, {.data = step(t), .step = as_size(m.row_size()), .input = 1});
    m.scale_means(count, network.outputs());
    for (Index i = 0; i < count; ++i, ++log_densities) {
      const double *mean = network.outputs() + i * m.action_width(), *action = step(t + i) + m.action_at();
      double square = 0.0;
      for (Index u = 0; u < m.action_size(); ++u) {
        const double residual = action[u] - mean[u];
        square += residual * residual * m.precision[as_size(u)];
      }
      *log_densities = -0.5 * square;
    }
  }
}

void MlpEvidence::step_divergences(Parameters theta, Parameters other, Index first, Index last,
                                   double* divergences) const {
  const MlpModel& m = *model_;
  const Index end = begin(last * kChunk);
  // The same in both directions, and the means of the behavior are stored.
  if (std::ranges::equal(theta, behavior_)) std::swap(theta, other);
  const bool stored = std::ranges::equal(other, behavior_);
  Network network(m.network, kMlpTile), other_network(m.network, stored ? 1 : kMlpTile);
  network.set_parameters(theta);
  if (!stored) other_network.set_parameters(other);
  for (Index t = begin(first * kChunk); t < end; t += kMlpTile) {
    const Index count = std::min(kMlpTile, end - t);
    const auto forward = [&](Network& n) {
      n.forward(count, {.data = step(t), .step = as_size(m.row_size()), .input = 1});
      m.scale_means(count, n.outputs());
    };
    forward(network);
    if (!stored) forward(other_network);
    for (Index i = 0; i < count; ++i, ++divergences) {
      const double* mean = network.outputs() + i * m.action_width();
      const double* other_mean =
          stored ? step(t + i) + m.behavior_at() : other_network.outputs() + i * m.action_width();
      double square = 0.0;
      for (Index u = 0; u < m.action_size(); ++u) {
        const double shift = mean[u] - other_mean[u];
        square += shift * shift * m.precision[as_size(u)];
      }
      *divergences = 0.5 * square;
    }
  }
}

void MlpEvidence::renyi_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows) const {
  // grad ||mu - mu_b||^2 / sigma^2 = -2 J' (mu_b - mu) / sigma^2
  pull_back(theta, steps_.spread(weights, -2.0, first, last).data(), model_->behavior_at(), first, last, rows, nullptr);
}

void MlpEvidence::fisher_product(Parameters theta, const double* weights, Parameters vector, Index first, Index last,
                                 double* rows) const {
  const MlpModel& m = *model_;
  const std::vector<double> factors = steps_.spread(weights, 1.0, first, last);
  const double* factor = factors.data();
  Network network(m.network, kMlpTile), direction(m.network, kMlpTile);
  network.set_parameters(theta);
  direction.set_parameters(vector);
  for (Index chunk = first; chunk < last; ++chunk, rows += m.network.parameter_count()) {
    const Index end = begin((chunk + 1) * kChunk);
    for (Index t = begin(chunk * kChunk); t < end; t += kMlpTile) {
      const Index count = std::min(kMlpTile, end - t);
      const kernels::StridedInput input{.data = step(t), .step = as_size(m.row_size()), .input = 1};
      network.forward(count, input);
      const double* slope = network.tangent(count, input, direction);
      for (Index i = 0; i < count; ++i, ++factor) {
        for (Index u = 0; u < m.action_width(); ++u) {
          const auto at = as_size(u);
          const double scale = at < m.action_scale.size() ? m.action_scale[at] : 1.0;
          network.cotangent()[i * m.action_width() + u] =
              *factor * m.precision[at] * scale * scale * slope[i * m.action_width() + u];
        }
      }
      network.backward(count, step(t), m.row_size());
    }
    network.take_gradient(rows);
  }
}

void MlpEvidence::fisher_trace(Parameters theta, const double* weights, Index first, Index last, double* traces) const {
  // trace(J' J / sigma^2) is the sum over actions u of ||J_u||^2 / sigma_u^2: one backward pass per action.
  const MlpModel& m = *model_;
  const std::vector<double> factors = steps_.spread(weights, 1.0, first, last);
  const double* factor = factors.data();
  Network network(m.network, kMlpTile);
  network.set_parameters(theta);
  std::vector<double> squares(as_size(kMlpTile));
  for (Index chunk = first; chunk < last; ++chunk, ++traces) {
    *traces = 0.0;
    const Index end = begin((chunk + 1) * kChunk);
    for (Index t = begin(chunk * kChunk); t < end; t += kMlpTile) {
      const Index count = std::min(kMlpTile, end - t);
      network.forward(count, {.data = step(t), .step = as_size(m.row_size()), .input = 1});
      for (Index u = 0; u < m.action_size(); ++u) {
        const auto at = as_size(u);
        const double scale = m.action_scale.empty() ? 1.0 : m.action_scale[at];
        std::fill_n(network.cotangent(), count * m.action_width(), 0.0);
        for (Index i = 0; i < count; ++i) network.cotangent()[i * m.action_width() + u] = scale;
        network.gradient_squares(count, step(t), m.row_size(), squares.data());
        for (Index i = 0; i < count; ++i) *traces += factor[i] * m.precision[at] * squares[as_size(i)];
      }
      factor += count;
    }
  }
}

void MlpEvidence::weighted_score(Parameters theta, const double* weights, Index first, Index last, double* rows) const {
  pull_back(theta, weights, model_->action_at(), first, last, rows, nullptr);
}

void MlpEvidence::pull_back(Parameters theta, const double* factors, Index point, Index first, Index last, double* rows,
                            const MlpPass* pass) const {
  const MlpModel& m = *model_;
  const auto stride = as_size(m.row_size()), width = as_size(m.action_width());
  const bool kept = pass != nullptr && pass->keeps(theta);
  Network network(m.network, kMlpTile);
  network.set_parameters(theta);
  std::vector<double> slope = m.precision;  // includes d mean / d output
  for (std::size_t u = 0; u < m.action_scale.size(); ++u) slope[u] *= m.action_scale[u];
  for (Index chunk = first; chunk < last; ++chunk, rows += m.network.parameter_count()) {
    const Index end = begin((chunk + 1) * kChunk);
    for (Index t = begin(chunk * kChunk); t < end; t += kMlpTile) {
      const Index count = std::min(kMlpTile, end - t);
      if (kept && pass->has(chunk)) {
        network.use_storage(pass->activations() + t * m.network.storage_width(), count);
      } else {
        network.use_storage(nullptr);
        network.forward(count, {.data = step(t), .step = stride, .input = 1});
        m.scale_means(count, network.outputs());
      }
      kernels::mean_cotangent(as_size(count), width, network.outputs(), step(t) + point, stride, factors, slope.data(),
                              network.cotangent());
      network.backward(count, step(t), m.row_size());
      factors += count;
    }
    network.take_gradient(rows);
  }
}

}  // namespace retropg
