#pragma once

#include <string>

#include "retropg/baseline/baseline.hpp"
#include "retropg/configuration/configuration.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/estimator/estimator.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

/// The parts of a run that take memory; `baseline` may be null.
struct RunParts {
  const Configuration& configuration;
  const EnvironmentDefinition& environment;
  const Policy& policy;
  const Estimator& estimator;
  const Baseline* baseline;
};

/// About the largest number of bytes that a run of at most `iterations` takes for trajectories and parameters, if every
/// trajectory reaches the horizon.
double memory_needed(const RunParts& parts, double iterations);

/// The memory this process may take, in bytes: the smallest of the machine's, that of its control groups, and its limit
/// on address space. Files of the system are looked up below `root`.
double memory_limit(const std::string& root = "");

}  // namespace retropg
