#include "retropg/storage/configuration_file.hpp"

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestFile = 1 << 20;

std::string read_text(const std::filesystem::path& file) {
  std::string text = read_file(file, kLongestFile + 1);
  require(text.size() <= kLongestFile, file.string() + " is not a configuration file: longer than 1 MiB");
  return text;
}

}  // namespace

Configuration load_configuration(const std::filesystem::path& file) {
  Configuration configuration;
  apply_file(configuration, file);
  return configuration;
}

Configuration load_run_configuration(const std::filesystem::path& file) {
  Configuration configuration;
  apply_text(configuration, read_text(file), file.string(), OldKeys::kAccept);
  return configuration;
}

void apply_file(Configuration& configuration, const std::filesystem::path& file) {
  apply_text(configuration, read_text(file), file.string());
}

}  // namespace retropg
