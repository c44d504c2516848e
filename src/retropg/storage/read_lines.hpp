#pragma once

#include <string_view>

#include "retropg/core/function_ref.hpp"
#include "retropg/core/types.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// A line of a file and its place there.
struct Line {
  std::string_view text;  // without its end
  Index number = 0;       // 1, 2, ...
  Index begin = 0;        // in bytes
  Index end = 0;          // after the end of the line
};

/// Calls `visit` with every whole line of a text file until it returns false. Reads the file once, in pieces: it may be
/// larger than the memory. Returns the number of bytes in the file, the start of a line at its end included. Throws
/// Error if the file is missing, no regular file, or has a line of more than 16 MiB.
Index read_lines(const Place& place, FunctionRef<bool(const Line&)> visit);

}  // namespace retropg
