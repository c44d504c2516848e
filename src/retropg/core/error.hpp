#pragma once

#include <stdexcept>
#include <string>

namespace retropg {

/// Base of all exceptions the library throws. Input is checked on entry, never inside a numeric loop.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A failure at run time with valid input, for example a NaN state or a file that cannot be written.
class RunError : public Error {
 public:
  using Error::Error;
};

inline void require(bool condition, const std::string& message) {
  if (!condition) throw Error(message);
}
/// Without making a string of a message that is not needed.
inline void require(bool condition, const char* message) {
  if (!condition) throw Error(message);
}

}  // namespace retropg
