#include "retropg/core/version.hpp"

namespace retropg {

std::string version() {
  return RETROPG_VERSION;
}

std::string compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace retropg
