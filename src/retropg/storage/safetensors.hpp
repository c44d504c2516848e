#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// Named vectors of doubles and of whole numbers with string metadata in the safetensors layout: an 8-byte
/// little-endian length, a JSON header, then raw little-endian numbers. Every safetensors library can read it; loading
/// a file never executes code. A name occurs once, whatever its type.
struct Tensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, std::vector<Index>> counts{};
};

/// The bytes of the file.
std::string to_safetensors(const Tensors& tensors);

/// Throws an Error that names the file and what is wrong with it. Refuses what no writer produces: bytes that belong to
/// no tensor, tensors that overlap, a name that occurs twice.
Tensors parse_safetensors(std::string_view bytes, const std::string& name);

/// Writes a file. Throws like `write_file`.
void write_safetensors(const Place& path, const Tensors& tensors);

/// Reads and parses a file.
Tensors read_safetensors(const Place& path);

}  // namespace retropg
