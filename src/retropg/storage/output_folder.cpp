#include "retropg/storage/output_folder.hpp"

#include <unistd.h>

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "retropg/core/error.hpp"

namespace retropg {

std::string utc_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::filesystem::path dated_folder(const std::filesystem::path& parent, const std::string& name) {
  const std::string path =
      (parent / fmt::format("{}__{:%Y%m%dT%H%M%SZ}", name, fmt::gmtime(std::time(nullptr)))).string();
  std::filesystem::path free = path;  // two runs may start within the same second
  for (int n = 2; std::filesystem::exists(free); ++n) free = fmt::format("{}-{}", path, n);
  return free;
}

void check_output_folder(const std::filesystem::path& path) {
  require(!path.empty(), "the output folder has no name");
  std::error_code error;
  const auto type = std::filesystem::symlink_status(path, error).type();
  require(type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::none,
          path.string() + ": already exists; choose a new folder with --out");
  require(type == std::filesystem::file_type::not_found, path.string() + ": cannot be created: " + error.message());
  std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
  while (!std::filesystem::exists(parent, error) && !error) parent = parent.parent_path();
  require(std::filesystem::is_directory(parent) && access(parent.c_str(), W_OK | X_OK) == 0,
          path.string() + ": cannot be created, because " + parent.string() + " is not a writable folder");
}

}  // namespace retropg
