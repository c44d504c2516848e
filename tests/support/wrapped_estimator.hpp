#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "retropg/estimator/estimator.hpp"

namespace retropg::test {

/// Passes everything on to another estimator; tests override what they change.
class WrappedEstimator : public Estimator {
 public:
  explicit WrappedEstimator(std::unique_ptr<Estimator> inner) : inner_(std::move(inner)) {}

  std::vector<Draw> plan(Index k, Parameters theta, Index limit, const OrderedSum& sum) override {
    return inner_->plan(k, theta, limit, sum);
  }
  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    return inner_->estimate(theta, std::move(fresh), sum);
  }
  void keep() override { inner_->keep(); }
  void discard() override { inner_->discard(); }
  Credit credit() const override { return inner_->credit(); }
  Index largest_iteration() const override { return inner_->largest_iteration(); }
  double iterations_within(double budget) const override { return inner_->iterations_within(budget); }
  double bytes_needed(double bytes, double iterations) const override {
    return inner_->bytes_needed(bytes, iterations);
  }
  void state(Archive& archive) override { inner_->state(archive); }

 private:
  std::unique_ptr<Estimator> inner_;
};

}  // namespace retropg::test
