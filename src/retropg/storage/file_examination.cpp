#include "retropg/storage/file_examination.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/event_file.hpp"
#include "retropg/storage/failure_file.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/tensorboard_records.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20;
constexpr const char* kProvenance = "provenance.json";
constexpr const char* kCommand = "command.txt";
constexpr const char* kFailure = "failure.safetensors";

}  // namespace

void examine_small_files(Findings& findings) {
  findings.attempt(kProvenance, [&] {
    const std::string text = read_file(findings.folder() / kProvenance, kLongest);
    const auto json = nlohmann::json::parse(text, nullptr, false);
    require(json.is_object() && text.ends_with('\n'), "is not a whole JSON object");
    const auto version = json.find("retropg");
    require(version != json.end() && version->is_string(), "names no version of the program");
    findings.add(kProvenance, Severity::kFine, "made by version " + version->get<std::string>());
  });
  if (findings.has(kCommand)) {
    findings.attempt(kCommand, [&] {
      const std::string text = read_file(findings.folder() / kCommand, kLongest);
      require(text.size() > 1 && text.ends_with('\n'), "is cut: it does not end with a line end");
      findings.add(kCommand, Severity::kFine, "one command line");
    });
  } else {
    findings.add(kCommand, Severity::kFine, "is not there; nothing needs it");
  }
  if (findings.has(kFailure)) {
    findings.attempt(kFailure, [&] {
      const SavedFailure failure = load_failure(findings.folder() / kFailure);
      Configuration configuration = load_run_configuration(findings.folder() / "config.toml");
      configuration.train.threads = 1;
      TrainingRun run(configuration);
      const bool again = breaks_again(run, failure) == failure.message;
      findings.add(kFailure, Severity::kWarning,
                   failure.message + (again ? " (it breaks again)" : " (it does not break again)"));
    });
  }
}

void examine_event_files(Findings& findings, bool ended) {
  std::vector<std::string> names = names_in(findings.folder());
  std::erase_if(names, [](const std::string& name) { return !name.starts_with(kEventFiles); });
  for (const std::string& name : names) {
    findings.attempt(name, [&] {
      const RecordsFound found = examine_records(read_file(findings.folder() / name));
      const bool whole = ended && name == names.back();
      require(!whole || (found.problem.empty() && found.count > 0), found.count > 0 ? found.problem : "holds no event");
      const std::string count = fmt::format("{} event{}", found.count, found.count == 1 ? "" : "s");
      if (found.problem.empty() || found.torn) {
        findings.add(name, Severity::kFine, count + (found.torn ? ", and a part of one" : ""));
      } else {
        findings.add(name, Severity::kWarning, found.problem + "; TensorBoard reads only what comes before");
      }
    });
  }
}

void examine_other_files(Findings& findings, std::set<std::string> known, bool running) {
  known.insert({"policy", "checkpoints"});
  for (const Finding& finding : findings.list()) known.insert(finding.file);
  for (const std::string folder : {"", "policy/", "checkpoints/"}) {
    for (const std::string& name : names_in(findings.folder() / folder)) {
      const std::string file = folder + name;
      if (known.contains(file)) continue;
      if (!file.ends_with(".tmp")) {
        findings.add(file, Severity::kFine,
                     folder == "checkpoints/" ? "belongs to no whole checkpoint" : "is not one of the program's files");
      } else if (!running) {
        findings.add(file, Severity::kWarning, "was left over when writing was cut short; does no harm");
      }
    }
  }
}

}  // namespace retropg
