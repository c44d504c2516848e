#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// An array for NumPy, of doubles or of whole numbers with 64 bits, row by row.
struct NpzArray {
  std::string name;
  std::vector<Index> shape;
  std::string_view data{};  // its bytes
  bool whole = false;
};

/// The bytes of an archive between the data of one array, or the beginning, and that of the next, which has this name.
std::size_t npz_data_offset(std::string_view name);

/// The bytes of an .npz file as numpy.savez makes them: a zip archive of .npy files, not compressed, without times.
/// Throws RunError if an array or the whole is larger than such an archive can be, 4 GB.
std::string npz_bytes(std::span<const NpzArray> arrays);

}  // namespace retropg
