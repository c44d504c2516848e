#pragma once

#include <stdexcept>
#include <string>

namespace retropg {

/// The one exception of the library: thrown where input enters, never inside a numeric loop.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A failure while running (a state turned NaN, a file could not be written): the input was right.
class RunError : public Error {
 public:
  using Error::Error;
};

inline void require(bool condition, const std::string& message) {
  if (!condition) throw Error(message);
}

}  // namespace retropg
