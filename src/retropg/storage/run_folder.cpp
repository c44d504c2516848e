#include "retropg/storage/run_folder.hpp"

#include <cmath>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/policy_file.hpp"
#include "retropg/storage/provenance.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/storage/text_file.hpp"

namespace retropg {
namespace {

using Buffer = fmt::memory_buffer;
constexpr std::size_t kFlushSize = 1 << 16;

/// An append-only text file.
class Appender {
 public:
  explicit Appender(const std::filesystem::path& path) : path_(path), file_(std::fopen(path.c_str(), "wbx")) {
    if (file_ == nullptr) throw RunError(path.string() + ": cannot be written");
  }
  ~Appender() {
    std::fwrite(buffer_.data(), 1, buffer_.size(), file_);  // after a failure: writes as much as possible
    std::fclose(file_);
  }
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  Buffer& line() {
    if (buffer_.size() > kFlushSize) flush();
    return buffer_;
  }
  void flush() {
    const bool written = std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
    buffer_.clear();
    if (!written || std::fflush(file_) != 0) throw RunError(path_.string() + ": cannot be written; is the disk full?");
  }

 private:
  std::filesystem::path path_;
  std::FILE* file_;
  Buffer buffer_;
};

/// JSON has no NaN: a number that a rule does not define is null.
void append_number(Buffer& buffer, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{}"), value);
  } else {
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("null"));
  }
}

void append_batch(Buffer& buffer, const BatchDiagnostics& batch) {
  fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{{\"age\":{},\"ess\":"), batch.age);
  append_number(buffer, batch.effective_sample_size);
  const auto field = [&](const char* name, double value) {
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE(",\"{}\":"), name);
    append_number(buffer, value);
  };
  field("log_d2", batch.log_divergence);
  field("alpha", batch.alpha);
  field("lambda", batch.lambda);
  buffer.push_back('}');
}

}  // namespace

struct RunFolder::Files {
  explicit Files(const std::filesystem::path& path)
      : progress(path / "progress.csv"), metrics(path / "metrics.jsonl"), timing(path / "timing.jsonl") {}
  Appender progress, metrics, timing;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

std::filesystem::path default_run_folder(const Configuration& configuration) {
  return dated_folder(
      "runs", fmt::format("{}__{}__{}", configuration.env.id, configuration.algo.name, configuration.train.seed));
}

RunFolder::RunFolder(std::filesystem::path path, const TrainingRun& run, const std::string& command)
    : path_(std::move(path)), configuration_(run.configuration()), environment_(run.environment()) {
  check_output_folder(path_);
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) throw RunError(path_.string() + ": cannot be created: " + error.message());
  write_text_file(path_ / "config.toml", to_toml(configuration_));
  write_text_file(path_ / "command.txt", command + "\n");
  write_text_file(path_ / "provenance.json", provenance_json());
  files_ = std::make_unique<Files>(path_);
  fmt::format_to(std::back_inserter(files_->progress.line()),
                 "iteration,trajectories,steps,return_mean,return_std,gradient_norm,ess,weight_mean,weight_max,"
                 "log_d2_max,skipped\n");
}

RunFolder::~RunFolder() = default;

void RunFolder::record(const IterationRecord& record) {
  const Diagnostics& d = record.diagnostics;
  fmt::format_to(std::back_inserter(files_->progress.line()), FMT_COMPILE("{},{},{},{},{},{},{},{},{},{},{}\n"),
                 record.iteration, record.trajectories, record.steps, record.return_mean, record.return_std,
                 record.gradient_norm, d.effective_sample_size, d.weight_mean, d.weight_max, d.log_divergence_max,
                 record.skipped);
  Buffer& line = files_->metrics.line();
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{{\"iteration\":{},\"saturated\":{},"), record.iteration,
                 d.saturated);
  if (d.residual) {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("\"residual\":"));
    append_number(line, *d.residual);
    line.push_back(',');
  }
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("\"batches\":["));
  for (std::size_t i = 0; i < d.batches.size(); ++i) {
    if (i > 0) line.push_back(',');
    append_batch(line, d.batches[i]);
  }
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("]}}\n"));
}

void RunFolder::flush(const IterationRecord& record) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - files_->start;
  fmt::format_to(std::back_inserter(files_->timing.line()),
                 FMT_COMPILE("{{\"iteration\":{},\"steps\":{},\"seconds\":{:.6f}}}\n"), record.iteration, record.steps,
                 elapsed.count());
  files_->progress.flush();
  files_->metrics.flush();
  files_->timing.flush();
}

void RunFolder::finish(const RunResult& result) {
  IterationRecord last;
  last.iteration = result.iterations;
  last.steps = result.steps;
  flush(last);
  std::filesystem::create_directory(path_ / "policy");
  const auto save = [&](const char* name, Parameters theta) {
    save_policy(path_ / "policy" / name, saved_policy(configuration_, environment_, theta));
  };
  save("best.safetensors", result.best);
  save("final.safetensors", result.last);
  if (configuration_.train.output == "random") save("random.safetensors", result.output);
}

}  // namespace retropg
