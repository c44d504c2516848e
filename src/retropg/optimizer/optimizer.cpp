#include "retropg/optimizer/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "retropg/core/archive.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

class ConstantStep final : public Optimizer {
 public:
  explicit ConstantStep(double rate) : rate_(rate) {}
  bool ascend(std::span<double> theta, std::span<const double> gradient) override {
    next_.assign(theta.begin(), theta.end());
    for (std::size_t i = 0; i < theta.size(); ++i) next_[i] += rate_ * gradient[i];
    if (!all_finite(next_)) return false;
    std::ranges::copy(next_, theta.begin());
    return true;
  }
  void state(Archive&) override {}

 private:
  double rate_;
  std::vector<double> next_;
};

class Adam final : public Optimizer {
 public:
  explicit Adam(const AdamOptions& options) : options_(options) {}

  bool ascend(std::span<double> theta, std::span<const double> gradient) override {
    if (now_.first.empty()) {
      now_.first.resize(theta.size(), 0.0);
      now_.second.resize(theta.size(), 0.0);
    }
    require(now_.first.size() == theta.size(), "Adam's moments belong to another number of parameters");
    const auto& [rate, beta1, beta2, epsilon] = options_;
    next_ = now_;
    ++next_.steps;
    next_theta_.assign(theta.begin(), theta.end());
    const auto steps = static_cast<double>(next_.steps);
    const double correction1 = 1.0 - std::pow(beta1, steps), correction2 = 1.0 - std::pow(beta2, steps);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      double &first = next_.first[i], &second = next_.second[i];
      first = beta1 * first + (1.0 - beta1) * gradient[i];
      second = beta2 * second + (1.0 - beta2) * gradient[i] * gradient[i];
      next_theta_[i] += rate * (first / correction1) / (std::sqrt(second / correction2) + epsilon);
    }
    if (!all_finite(next_theta_) || !all_finite(next_.second)) return false;
    std::swap(now_, next_);
    std::ranges::copy(next_theta_, theta.begin());
    return true;
  }

  void discard() override { std::swap(now_, next_); }

  void state(Archive& archive) override {
    archive("steps", now_.steps);
    archive("first_moment", now_.first);
    archive("second_moment", now_.second);
    require(now_.first.size() == now_.second.size(), "the saved moments of Adam have different sizes");
    const auto possible = [](double moment) { return std::isfinite(moment) && moment >= 0.0; };
    require(archive.saving() || (now_.steps >= 0 && now_.steps <= kMostSaved && all_finite(now_.first) &&
                                 std::ranges::all_of(now_.second, possible)),
            "the saved moments of Adam are impossible");
  }

 private:
  AdamOptions options_;
  struct Moments {
    Index steps = 0;
    std::vector<double> first, second;
  };
  Moments now_, next_;  // after a step, the second has the moments before it
  std::vector<double> next_theta_;
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
