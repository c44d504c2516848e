#include "fuzz/run_folder_sample.hpp"
#include "fuzz/fuzz.hpp"
#include "retropg/storage/examination.hpp"
#include "retropg/storage/run_history.hpp"

using namespace retropg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static test::RunFolderSample sample;
  sample.changed(test::as_text(data, size), [](const std::string& name) {
    test::reads_or_refuses([] {
      for (const Finding& finding : examine_run(sample.path()).findings) {
        test::expect(finding.text.find('\n') == std::string::npos, "a finding is one line");
      }
    });
    test::reads_or_refuses([] { read_history(sample.path()); });
    test::reads_or_refuses([] { read_coefficients(sample.path(), 4); });
    if (name == "failure.safetensors") test::reads_or_refuses([&] { load_failure(sample.path() / name); });
  });
  return 0;
}
