#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace retropg {

/// Named vectors of doubles with string metadata in the safetensors layout: an 8-byte little-endian length, a JSON
/// header, then raw little-endian numbers. Every safetensors library can read it; loading a file never executes code.
struct Tensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::vector<double>> values;
};

/// Writes a temporary file that replaces the target only when complete. Throws RunError if it cannot be written.
void write_safetensors(const std::filesystem::path& path, const Tensors& tensors);

/// Throws an Error that names the file and what is wrong with it.
Tensors read_safetensors(const std::filesystem::path& path);

}  // namespace retropg
