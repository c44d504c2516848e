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

/// About the bytes of so many copies of the parameters of the policy that a configuration asks for, without making it.
double bytes_of_parameters(const Configuration& configuration, const EnvironmentDefinition& environment, double copies);

/// The memory this process may take, in bytes: the smallest of the machine's, that of its control groups, and its limit
/// on address space. Files of the system are looked up below `root`.
double memory_limit(const std::string& root = "");

/// Throws Error if something would take nearly all of that or more: "`what` need about 5 GB for `purpose`; this process
/// may take 4 GB: `advice`".
void require_memory(double bytes, const std::string& what, const std::string& purpose, const std::string& advice);

}  // namespace retropg
