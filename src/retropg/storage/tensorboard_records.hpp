#pragma once

#include <string>
#include <string_view>

#include "retropg/core/types.hpp"

namespace retropg {

/// Appends data as one record of a TFRecord file, little-endian: the length of the data (8 bytes), the masked CRC-32C
/// of that (4), the data, the masked CRC-32C of the data (4). The mask keeps checksums of checksums apart: it is
/// rotate_right(crc, 15) + 0xa282ead8.
void append_record(std::string& to, std::string_view data);

/// What was found in such a file, up to its first problem.
struct RecordsFound {
  Index count = 0;      // whole ones
  std::string problem;  // empty: none
  bool torn = false;    // the problem is that the last one is not whole
};
RecordsFound examine_records(std::string_view bytes);

}  // namespace retropg
