#include "fuzz/run_folder_sample.hpp"
#include "fuzz/fuzz.hpp"
#include "retropg/configuration/configuration.hpp"
#include "retropg/storage/evaluation_table.hpp"
#include "retropg/storage/examination.hpp"
#include "retropg/storage/file_examination.hpp"
#include "retropg/storage/log_examination.hpp"
#include "retropg/storage/result_file.hpp"
#include "retropg/storage/run_history.hpp"
#include "retropg/storage/tensorboard_records.hpp"

using namespace retropg;

namespace {

constexpr std::size_t kEvery = 64;  // one in so many inputs is examined with the whole folder, which takes far longer

void expect_lines(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    test::expect(finding.text.find('\n') == std::string::npos, "a finding is one line");
  }
}

/// What reads this file alone; policies and checkpoints have targets of their own.
void read(const std::filesystem::path& run, const std::string& name, std::string_view text) {
  const std::filesystem::path file = run / name;
  if (name == "progress.csv") {
    examine_progress(file, {});
    read_history(run);
  } else if (name == "metrics.jsonl") {
    examine_metrics(file, 1, {});
    read_coefficients(run, 4);
  } else if (name == "evaluations.csv") {
    examine_evaluations(file, 2, {});
  } else if (name == "monitor.csv") {
    examine_monitor(file, {});
  } else if (name == "timing.jsonl") {
    examine_timing(file);
  } else if (name == "evaluations.npz") {
    EvaluationTable(text, 2);
  } else if (name == "result.json") {
    check_result(std::string(text), {});
  } else if (name == "config.toml") {
    parse_run_configuration(text, name);
  } else if (name == "failure.safetensors") {
    load_failure(file);
  } else if (name.starts_with("events.")) {
    examine_records(text);
  } else if (name == "provenance.json" || name == "command.txt") {
    Findings findings(run);
    examine_small_files(findings);
    expect_lines(findings.list());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static test::RunFolderSample sample;
  sample.changed(test::as_text(data, size), [&](const std::string& name) {
    test::reads_or_refuses([&] { read(sample.path(), name, test::as_text(data + 1, size - 1)); });
    if (size % kEvery == 0) test::reads_or_refuses([] { expect_lines(examine_run(sample.path()).findings); });
  });
  return 0;
}
