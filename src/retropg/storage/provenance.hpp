#pragma once

#include <string>

namespace retropg {

/// What made a result, as a JSON object: version, compiler, instruction set, MuJoCo, host, cores, the time.
std::string provenance_json();

}  // namespace retropg
