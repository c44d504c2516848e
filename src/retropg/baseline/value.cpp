#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <deque>

#include "retropg/core/archive.hpp"
#include "retropg/baseline/credits.hpp"

namespace retropg {
namespace {

// Few enough that Eigen sums a block's products in a single pass, whatever the size of the machine's caches.
constexpr Index kBlock = 64;

class Value final : public Baseline {
 public:
  Value(Index observation_size, const BaselineOptions& options, const ValueOptions& value)
      : observations_(observation_size),
        features_(3 + observation_size + observation_size * (observation_size + 1) / 2),
        options_(options),
        value_(value) {}

  std::vector<double> credits(Parameters, const TrajectoryBatch& batch, Credit credit) override {
    std::vector<double> fresh = digest(batch);
    Eigen::VectorXd values;
    if (value_.fresh) {
      remember(std::move(fresh));
      values = predict(batch, total());
    } else {
      values = predict(batch, total());
      remember(std::move(fresh));
    }
    return credits_less(batch, options_.discount, credit,
                        [&](Index j, Index l, double) { return values[batch.begin(j) + l]; });
  }

  double bytes_needed(double batches) const override {
    const double kept = value_.window == kFullReuse ? 1.0 : std::min(batches, static_cast<double>(value_.window));
    return kept * static_cast<double>(digest_size()) * sizeof(double);
  }

  void state(Archive& archive) override {
    std::vector<double> numbers;
    for (const std::vector<double>& batch : past_) numbers.insert(numbers.end(), batch.begin(), batch.end());
    archive("batches", numbers);
    require(numbers.size() % digest_size() == 0, "the saved baseline has a different number of features");
    const Index most = value_.window == kFullReuse ? 1 : value_.window;
    require(as_index(numbers.size() / digest_size()) <= most,
            "the saved baseline has more batches than this run keeps");
    if (archive.saving()) return;
    past_.clear();
    for (auto batch = numbers.begin(); batch != numbers.end(); batch += static_cast<std::ptrdiff_t>(digest_size())) {
      past_.emplace_back(batch, batch + static_cast<std::ptrdiff_t>(digest_size()));
    }
  }

 private:
  using Matrix = Eigen::MatrixXd;

  std::size_t digest_size() const { return as_size(2 + (features_ + 1) * (features_ + 2) / 2); }

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

  /// Calls use(first, rows) for blocks of feature rows, one per step, in order.
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

  /// What the fit needs from a batch, with y the reward-to-go: the smallest and the largest y (including 0, the value
  /// after a trajectory's end), then X'X, X'y and y'y as the lower triangle of Z'Z, Z = (X, y).
  std::vector<double> digest(const TrajectoryBatch& batch) const {
    const std::vector<double> to_go = step_credits(batch, options_.discount, Credit::kRewardToGo);
    Matrix sums = Matrix::Zero(features_ + 1, features_ + 1), z(kBlock, features_ + 1);
    for_blocks(batch, [&](Index first, const auto& rows) {
      z.setZero();
      z.topLeftCorner(rows.rows(), features_) = rows;
      for (Index i = 0; i < rows.rows(); ++i) z(i, features_) = to_go[as_size(first + i)];
      sums.selfadjointView<Eigen::Lower>().rankUpdate(z.transpose());
    });
    std::vector<double> packed{std::min(0.0, std::ranges::min(to_go)), std::max(0.0, std::ranges::max(to_go))};
    for (Index c = 0; c <= features_; ++c) {
      for (Index r = c; r <= features_; ++r) packed.push_back(sums(r, c));
    }
    return packed;
  }

  static void add(const std::vector<double>& digest, std::vector<double>& to) {
    to[0] = std::min(to[0], digest[0]);
    to[1] = std::max(to[1], digest[1]);
    for (std::size_t i = 2; i < to.size(); ++i) to[i] += digest[i];
  }

  void remember(std::vector<double> digest) {
    if (value_.window == kFullReuse && !past_.empty()) return add(digest, past_.front());
    past_.push_back(std::move(digest));
    if (value_.window != kFullReuse && as_index(past_.size()) > value_.window) past_.pop_front();
  }

  /// The combined digest of all batches used for the fit.
  std::vector<double> total() const {
    std::vector<double> sum(digest_size(), 0.0);
    for (const std::vector<double>& digest : past_) add(digest, sum);
    return sum;
  }

  /// Solves (X'X + ridge diag(X'X)) w = X'y with features scaled to mean square 1; w = 0 where there is nothing to fit.
  Eigen::VectorXd fit(const std::vector<double>& total) const {
    Matrix sums = Matrix::Zero(features_ + 1, features_ + 1);
    const double* next = total.data() + 2;
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

  /// The fitted values, clipped to the range of the data: a parabola is unreliable where there were few steps.
  Eigen::VectorXd predict(const TrajectoryBatch& batch, const std::vector<double>& total) const {
    const Eigen::VectorXd weights = fit(total);
    Eigen::VectorXd values(batch.steps());
    for_blocks(batch, [&](Index first, const auto& rows) { values.segment(first, rows.rows()) = rows * weights; });
    return values.cwiseMax(total[0]).cwiseMin(total[1]);
  }

  Index observations_, features_;
  BaselineOptions options_;
  ValueOptions value_;
  std::deque<std::vector<double>> past_;  // digests of the batches to fit, oldest first; with full reuse, their sum
};

}  // namespace

std::unique_ptr<Baseline> value_baseline(Index observation_size, const BaselineOptions& options,
                                         const ValueOptions& value) {
  require(value.ridge > 0.0, "the ridge of a value baseline must be > 0");
  require(value.window >= 0, "the window must hold at least one batch");
  return std::make_unique<Value>(observation_size, options, value);
}

}  // namespace retropg
