#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/experiment_input.hpp"
#include "fuzz/fuzz.hpp"
#include "retropg/experiment/experiment.hpp"
#include "retropg/experiment/results_plan.hpp"
#include "retropg/experiment/stored_experiment.hpp"
#include "retropg/storage/curve_file.hpp"
#include "support/files.hpp"

using namespace retropg;

namespace {

std::filesystem::path memory() {
  return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
}

std::filesystem::path written(const test::TemporaryFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder / name, std::ios::binary | std::ios::trunc) << text;
  return folder / name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder(memory());
  if (size == 0) return 0;
  constexpr std::size_t kKinds = std::size(test::kExperimentFiles);
  std::array<std::string, kKinds> texts;
  std::ranges::copy(test::kExperimentFiles, texts.begin());
  const std::size_t changed = data[0] % kKinds;
  texts[changed] = test::as_text(data + 1, size - 1);
  if (changed < 3) {
    test::reads_or_refuses([&] {
      parse_experiment({.name = "x", .place = "x/", .base = texts[0], .plan = texts[1], .expected = texts[2]});
    });
  } else if (changed == 3) {
    written(folder, "plan.toml", texts[3]);
    test::reads_or_refuses([&] { read_experiment(folder.path()); });
    test::reads_or_refuses(
        [&] { require_same_plan({.items = {{.name = "seed", .value = Index{1}}}, .arms = {}}, texts[3], {}); });
  } else {
    const std::filesystem::path file = written(folder, "1.csv", texts[4]);
    test::reads_or_refuses([&] { read_curve_file(file); });
  }
  return 0;
}
