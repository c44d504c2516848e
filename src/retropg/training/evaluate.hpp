#pragma once

#include <filesystem>
#include <vector>

#include "retropg/training/policy_file.hpp"

namespace retropg {

struct EvaluationOptions {
  Index episodes = 100;
  std::uint64_t seed = 1;
  Index threads = 1;
  bool deterministic = false;  // act with the mean instead of sampling
};

/// A trained policy with the environment it belongs to: `path` is a run folder (the policy its train.output asks for,
/// and its configuration) or a policy file (and its environment's own horizon and discount). Throws Error that names
/// the file and what is wrong.
struct EvaluationSubject {
  std::filesystem::path file;
  Configuration configuration;
  SavedPolicy saved;
};
EvaluationSubject load_subject(const std::filesystem::path& path);

/// The discounted return of every episode. Their random numbers are those of iteration 0, which no training uses.
std::vector<double> evaluate(const EvaluationSubject& subject, const EvaluationOptions& options);

}  // namespace retropg
