#include "retropg/storage/configuration_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestFile = 1 << 20;

std::string read_file(const std::filesystem::path& file) {
  std::string text(kLongestFile + 1, '\0');
  errno = 0;  // the stream does not report the reason
  std::ifstream stream(file, std::ios::binary);
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  const std::error_code reason(errno, std::generic_category());
  require(stream.eof() || stream.good(), "cannot read " + file.string() + ": " + reason.message());
  text.resize(as_size(stream.gcount()));
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
  apply_text(configuration, read_file(file), file.string(), OldKeys::kAccept);
  return configuration;
}

void apply_file(Configuration& configuration, const std::filesystem::path& file) {
  apply_text(configuration, read_file(file), file.string());
}

}  // namespace retropg
