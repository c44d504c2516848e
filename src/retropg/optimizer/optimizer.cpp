#include "retropg/optimizer/optimizer.hpp"

#include <cmath>

#include "retropg/core/archive.hpp"
#include "retropg/core/error.hpp"

namespace retropg {
namespace {

class ConstantStep final : public Optimizer {
 public:
  explicit ConstantStep(double rate) : rate_(rate) {}
  void ascend(std::span<double> theta, std::span<const double> gradient) override {
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += rate_ * gradient[i];
  }
  void state(Archive&) override {}

 private:
  double rate_;
};

class Adam final : public Optimizer {
 public:
  explicit Adam(const AdamOptions& options) : options_(options) {}

  void ascend(std::span<double> theta, std::span<const double> gradient) override {
    if (first_.size() != theta.size()) {
      first_.resize(theta.size(), 0.0);
      second_.resize(theta.size(), 0.0);
    }
    const auto& [rate, beta1, beta2, epsilon] = options_;
    steps_ += 1.0;
    const double correction1 = 1.0 - std::pow(beta1, steps_), correction2 = 1.0 - std::pow(beta2, steps_);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      first_[i] = beta1 * first_[i] + (1.0 - beta1) * gradient[i];
      second_[i] = beta2 * second_[i] + (1.0 - beta2) * gradient[i] * gradient[i];
      theta[i] += rate * (first_[i] / correction1) / (std::sqrt(second_[i] / correction2) + epsilon);
    }
  }

  void state(Archive& archive) override {
    archive("steps", steps_);
    archive("first_moment", first_);
    archive("second_moment", second_);
  }

 private:
  AdamOptions options_;
  double steps_ = 0.0;
  std::vector<double> first_, second_;
};

}  // namespace

std::unique_ptr<Optimizer> constant_step(double rate) {
  require(rate >= 0.0 && std::isfinite(rate),
          "the step size must be finite and not negative, but is " + std::to_string(rate));
  return std::make_unique<ConstantStep>(rate);
}

std::unique_ptr<Optimizer> adam(const AdamOptions& options) {
  require(options.rate >= 0.0 && std::isfinite(options.rate),
          "the learning rate must be finite and not negative, but is " + std::to_string(options.rate));
  require(options.beta1 >= 0.0 && options.beta1 < 1.0 && options.beta2 >= 0.0 && options.beta2 < 1.0,
          "Adam's beta1 and beta2 must lie in [0, 1)");
  require(options.epsilon > 0.0, "Adam's epsilon must be positive, but is " + std::to_string(options.epsilon));
  return std::make_unique<Adam>(options);
}

}  // namespace retropg
