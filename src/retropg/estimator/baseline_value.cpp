#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <deque>

#include "retropg/core/archive.hpp"
#include "retropg/estimator/baseline_credits.hpp"

namespace retropg {
namespace {

// Few enough that Eigen adds a block's products up in one go, whatever the size of the machine's caches.
constexpr Index kBlock = 64;

class Value final : public Baseline {
 public:
  Value(Index observation_size, const BaselineOptions& options, const ValueOptions& value)
      : observations_(observation_size),
        features_(3 + observation_size + observation_size * (observation_size + 1) / 2),
        options_(options),
        value_(value) {}

  std::vector<double> credits(Parameters, const TrajectoryBatch& batch, Credit credit) override {
    std::vector<double> fresh = products(batch);
    if (value_.fresh) remember(std::move(fresh));
    const Eigen::VectorXd values = predict(batch, fit());
    if (!value_.fresh) remember(std::move(fresh));
    return credits_less(batch, options_.discount, credit,
                        [&](Index j, Index l, double) { return values[batch.begin(j) + l]; });
  }

  double bytes_needed(double batches) const override {
    const double kept = value_.window == kFullReuse ? 1.0 : std::min(batches, static_cast<double>(value_.window));
    return kept * static_cast<double>(packed_size()) * sizeof(double);
  }

  void state(Archive& archive) override {
    std::vector<double> numbers;
    for (const std::vector<double>& batch : past_) numbers.insert(numbers.end(), batch.begin(), batch.end());
    archive("products", numbers);
    require(numbers.size() % packed_size() == 0, "the saved baseline has another number of features");
    past_.clear();
    for (auto batch = numbers.begin(); batch != numbers.end(); batch += static_cast<std::ptrdiff_t>(packed_size())) {
      past_.emplace_back(batch, batch + static_cast<std::ptrdiff_t>(packed_size()));
    }
  }

 private:
  using Matrix = Eigen::MatrixXd;

  std::size_t packed_size() const { return static_cast<std::size_t>((features_ + 1) * (features_ + 2) / 2); }

  /// 1, t, t^2 (t in horizons), s_i, s_i s_k for i <= k.
  void features(const TrajectoryBatch& batch, Index step, double time,
                Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> row) const {
    const double* s = batch.observations.data() + step * observations_;
    Index next = 0;
    for (const double x : {1.0, time, time * time}) row[next++] = x;
    for (Index i = 0; i < observations_; ++i) row[next++] = s[i];
    for (Index i = 0; i < observations_; ++i) {
      for (Index k = i; k < observations_; ++k) row[next++] = s[i] * s[k];
    }
  }

  /// Calls use(first, rows) for blocks of rows of features, one a step, in order.
  template <typename F>
  void for_blocks(const TrajectoryBatch& batch, const F& use) const {
    Matrix rows(kBlock, features_);
    Index first = 0, filled = 0;
    for (Index j = 0; j < batch.size(); ++j) {
      for (Index l = 0; l < batch.length(j); ++l) {
        const double time = static_cast<double>(l) / static_cast<double>(options_.horizon);
        features(batch, first + filled, time, rows.row(filled));
        if (++filled < kBlock && first + filled < batch.steps()) continue;
        use(first, rows.topRows(filled));
        first += filled;
        filled = 0;
      }
    }
  }

  /// X'X, X'y and y'y of a batch: the lower triangle of Z'Z, Z = (X, y), with y the reward-to-go.
  std::vector<double> products(const TrajectoryBatch& batch) const {
    const std::vector<double> to_go = step_credits(batch, options_.discount, Credit::kRewardToGo);
    Matrix sums = Matrix::Zero(features_ + 1, features_ + 1), z(kBlock, features_ + 1);
    for_blocks(batch, [&](Index first, const auto& rows) {
      z.setZero();
      z.topLeftCorner(rows.rows(), features_) = rows;
      for (Index i = 0; i < rows.rows(); ++i) z(i, features_) = to_go[static_cast<std::size_t>(first + i)];
      sums.selfadjointView<Eigen::Lower>().rankUpdate(z.transpose());
    });
    std::vector<double> packed;
    for (Index c = 0; c <= features_; ++c) {
      for (Index r = c; r <= features_; ++r) packed.push_back(sums(r, c));
    }
    return packed;
  }

  void remember(std::vector<double> products) {
    if (value_.window == kFullReuse && !past_.empty()) {
      for (std::size_t i = 0; i < products.size(); ++i) past_.front()[i] += products[i];
      return;
    }
    past_.push_back(std::move(products));
    if (value_.window != kFullReuse && static_cast<Index>(past_.size()) > value_.window) past_.pop_front();
  }

  /// The w of (X'X + ridge diag(X'X)) w = X'y, solved with features of mean square 1; 0 where there is nothing to fit.
  Eigen::VectorXd fit() const {
    if (past_.empty()) return Eigen::VectorXd::Zero(features_);
    std::vector<double> total(packed_size(), 0.0);
    for (const std::vector<double>& batch : past_) {
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += batch[i];
    }
    Matrix sums = Matrix::Zero(features_ + 1, features_ + 1);
    const double* next = total.data();
    for (Index c = 0; c <= features_; ++c) {
      for (Index r = c; r <= features_; ++r) sums(r, c) = *next++;
    }
    Eigen::VectorXd scale(features_), right = sums.row(features_).head(features_).transpose();
    for (Index i = 0; i < features_; ++i) scale[i] = sums(i, i) > 0.0 ? 1.0 / std::sqrt(sums(i, i)) : 0.0;
    Matrix normal = scale.asDiagonal() * sums.topLeftCorner(features_, features_) * scale.asDiagonal();
    normal.diagonal().array() += value_.ridge;
    const Eigen::VectorXd weights =
        scale.cwiseProduct(normal.selfadjointView<Eigen::Lower>().ldlt().solve(scale.cwiseProduct(right)));
    if (!weights.allFinite()) {
      throw RunError("the value baseline's regression is not finite: observations or rewards are too large to square");
    }
    return weights;
  }

  Eigen::VectorXd predict(const TrajectoryBatch& batch, const Eigen::VectorXd& weights) const {
    Eigen::VectorXd values(batch.steps());
    for_blocks(batch, [&](Index first, const auto& rows) { values.segment(first, rows.rows()) = rows * weights; });
    return values;
  }

  Index observations_, features_;
  BaselineOptions options_;
  ValueOptions value_;
  std::deque<std::vector<double>> past_;  // of each batch the fit looks at, oldest first; with full reuse their sum
};

}  // namespace

std::unique_ptr<Baseline> value_baseline(Index observation_size, const BaselineOptions& options,
                                         const ValueOptions& value) {
  require(value.ridge > 0.0, "the ridge of a value baseline must be > 0");
  require(value.window >= 0, "the window must hold at least one batch");
  return std::make_unique<Value>(observation_size, options, value);
}

}  // namespace retropg
