#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {

void Trainer::state(Archive& archive) {
  require(told_.empty(), "a trainer can be saved only between iterations");
  if (archive.saving()) {
    visit(archive);
    return;
  }
  Archive before(Archive::Mode::kSave);
  visit(before);
  try {
    visit(archive);
    archive.require_all_visited();
    told_before_.clear();
  } catch (...) {
    Archive back(before.state());
    visit(back);
    throw;
  }
  draws_.clear();
}

void Trainer::visit(Archive& archive) {
  archive.scope("trainer/");
  if (make_parts_) {
    archive("pilot", pilot_);
    if (!archive.saving()) {
      require(pilot_.empty() || as_index(pilot_.size()) == policy_->observation_size(),
              "the saved pilot has another number of observations");
      require(std::ranges::all_of(pilot_, [](double rms) { return rms >= 0.0 && std::isfinite(rms); }),
              "a number of the saved pilot is impossible");
      adopt(make_parts_(pilot_));
    }
  }
  archive("iteration", iteration_);
  archive("trajectories", trajectories_);
  archive("steps", steps_);
  archive("skipped", skipped_);
  archive("limited", limited_);
  archive("dropped", dropped_);
  archive("parameters", theta_);
  archive("best", best_);
  archive("best_return", best_return_);
  archive("random", random_);
  choice_.state(archive);
  // Every iteration has a trajectory and every trajectory a step.
  require(archive.saving() || (iteration_ >= 1 && skipped_ >= 0 && skipped_ < iteration_ &&
                               trajectories_ >= iteration_ - 1 && steps_ >= trajectories_ && steps_ <= kMostSaved &&
                               dropped_ >= 0 && dropped_ <= trajectories_ && (limited_ == 0 || limited_ == 1)),
          "the saved state has an impossible number of iterations, trajectories or steps");
  require(archive.saving() || wants_pilot() == (make_parts_ && trajectories_ == 0),
          "the saved state has trajectories but no pilot, or a pilot that it does not count");
  require(archive.saving() || !std::isnan(best_return_), "the best return of the saved state is not a number");
  for (const Parameters parameters : {Parameters(theta_), Parameters(best_), Parameters(random_), choice_.better()}) {
    require(as_index(parameters.size()) == policy_->parameter_count(),
            "the saved state has " + std::to_string(parameters.size()) + " parameters; the policy has " +
                std::to_string(policy_->parameter_count()));
    require(all_finite(parameters), "a parameter of the saved state is not finite");
  }
  archive.scope("estimator/");
  estimator_->state(archive);
  if (!archive.saving()) recommended_ = estimator_->recommended(theta_);
  archive.scope("optimizer/");
  optimizer_->state(archive);
  archive.scope("baseline/");
  if (baseline_ != nullptr) baseline_->state(archive);
  archive.scope("");
}

}  // namespace retropg
