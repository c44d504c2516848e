#include <fmt/format.h>

#include "report/aggregate_output.hpp"
#include "report/figure.hpp"

namespace retropg::app {

bool draw_profiles(const Study& study, const Place& folder, std::string* problem) {
  const Index seeds = study.tasks.front().comparison.plan.seeds;
  FigurePanel panel;
  for (const std::size_t i : study.aggregate->order()) {
    const AggregateArm& arm = study.aggregate->arms[i];
    panel.series.push_back({.label = arm.label,
                            .method = arm.algorithm,
                            .band = {.x = arm.profile.threshold,
                                     .mean = arm.profile.fraction,
                                     .standard_error = {},
                                     .runs = std::ssize(study.tasks) * seeds},
                            .intervals = arm.profile.band});
  }
  return draw_figure(folder / "profiles", {panel},
                     {.title = fmt::format("Performance profiles of {} environments", study.tasks.size()),
                      .x_label = "Normalized score: 0 random actions, 1 best known",
                      .y_label = "Fraction of runs above it",
                      .lines = fmt::format("{} runs per environment, with pointwise 95 % bootstrap intervals.", seeds)},
                     problem);
}

}  // namespace retropg::app
