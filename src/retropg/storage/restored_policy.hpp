#pragma once

#include <memory>
#include <vector>

#include "retropg/policy/policy.hpp"
#include "retropg/storage/policy_file.hpp"

namespace retropg {

/// A policy made from its file, and its parameters.
struct RestoredPolicy {
  std::unique_ptr<Policy> policy;
  std::vector<double> parameters;
};

/// Saves a policy as it is, without an environment, in the format of a run's policy files. Throws Error if the policy
/// has no description (Policy::description), names no registered kind, or the parameters are not its own.
void save_policy(const Place& path, const Policy& policy, Parameters theta);

/// Makes the policy of a file: one saved as above, or a run's. Throws an Error that names the file and what is wrong
/// with it.
RestoredPolicy restore_policy(const Place& path);

}  // namespace retropg
