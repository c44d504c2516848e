#pragma once

#include <string>

namespace retropg {

/// How a result was produced, as a JSON object: version, compiler, instruction set, MuJoCo, host, cores and time.
std::string provenance_json();

}  // namespace retropg
