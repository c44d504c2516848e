#include "retropg/policy/stepwise_evidence.hpp"

#include <string>

#include "retropg/core/error.hpp"

namespace retropg {

const StepwiseEvidence& stepwise(const Evidence& evidence, const char* method) {
  const auto* steps = dynamic_cast<const StepwiseEvidence*>(&evidence);
  require(steps != nullptr, std::string(method) + " weighs single decisions and needs evidence made of steps");
  return *steps;
}

}  // namespace retropg
