#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "retropg/training/trainer.hpp"

namespace retropg {

/// The episodes of all evaluations of a run, as the EvalCallback of Stable-Baselines3 writes them to evaluations.npz.
class EvaluationTable {
 public:
  /// `episodes` of each evaluation. Broken ones have the return NaN and the length 0.
  explicit EvaluationTable(Index episodes) : episodes_(episodes) {}
  /// Reads what `npz` wrote. Throws Error, without a file name, if a byte is another one.
  EvaluationTable(std::string_view npz, Index episodes);

  Index size() const { return as_index(steps_.size()); }
  void add(Index steps, const Evaluation& evaluation);
  void keep_first(Index count);
  /// The arrays timesteps (n), results and ep_lengths (n x episodes).
  std::string npz() const;

 private:
  Index episodes_;
  std::vector<std::int64_t> steps_;
  std::vector<double> returns_;
  std::vector<std::int64_t> lengths_;
};

}  // namespace retropg
