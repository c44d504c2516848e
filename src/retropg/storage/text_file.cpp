#include "retropg/storage/text_file.hpp"

#include <fstream>

#include "retropg/core/error.hpp"

namespace retropg {

void write_text_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw RunError(path.string() + ": cannot be written");
}

}  // namespace retropg
