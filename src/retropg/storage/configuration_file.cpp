#include "retropg/storage/configuration_file.hpp"

#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestFile = 1 << 20;

}  // namespace

Configuration load_configuration(const Place& file) {
  Configuration configuration;
  apply_file(configuration, file);
  return configuration;
}

Configuration load_run_configuration(const Place& file) {
  return parse_run_configuration(read_file(file, kLongestFile), file.string());
}

void apply_file(Configuration& configuration, const Place& file) {
  apply_text(configuration, read_file(file, kLongestFile), file.string());
}

}  // namespace retropg
