#pragma once

#include <cerrno>
#include <string>

namespace retropg {

/// Repeats a call that a signal interrupted.
template <typename Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// What an error number says, in words.
std::string reason_of(int error);
std::string reason_in_errno();

}  // namespace retropg
