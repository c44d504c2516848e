#include "retropg/storage/run_log.hpp"

#include <cmath>
#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace retropg {
namespace {

constexpr const char* kProgress = "progress.csv";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kEvaluations = "evaluations.csv";
constexpr std::size_t kTogether = 64;  // records per task: waking the thread costs as much as some of them

/// JSON has no NaN: a number that a rule does not define is null.
void append_number(std::string& text, double value) {
  if (std::isfinite(value)) {
    char buffer[32];  // the longest has 24 characters
    text.append(buffer, fmt::format_to(buffer, FMT_COMPILE("{}"), value));
  } else {
    text += "null";
  }
}

void append_batch(std::string& text, const BatchDiagnostics& batch) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{{\"age\":{}"), batch.age);
  const auto field = [&](std::string_view name, double value) {
    text += name;
    append_number(text, value);
  };
  field(",\"ess\":", batch.effective_sample_size);
  field(",\"log_d2\":", batch.log_divergence);
  field(",\"alpha\":", batch.alpha);
  field(",\"lambda\":", batch.lambda);
  text += '}';
}

void append_progress(std::string& text, const IterationRecord& record) {
  const Diagnostics& d = record.diagnostics;
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},{},{},{},{},{},{},{},{},{},{},{}\n"), record.iteration,
                 record.trajectories, record.steps, record.return_mean, record.return_std, record.gradient_norm,
                 d.effective_sample_size, d.weight_mean, d.weight_max, d.log_divergence_max, record.skipped,
                 record.dropped);
}

/// `at` says how far the run had come: a record, or the result of the run.
template <typename At>
void append_evaluation(std::string& text, Index iteration, const At& at, const Evaluation& evaluation) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},{},{},{},{},{}\n"), iteration, at.trajectories, at.steps,
                 evaluation.mean, evaluation.half_width, evaluation.episodes);
}

void append_metrics(std::string& text, const IterationRecord& record) {
  const Diagnostics& d = record.diagnostics;
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{{\"iteration\":{},\"saturated\":{},"), record.iteration,
                 d.saturated);
  if (d.residual) {
    text += "\"residual\":";
    append_number(text, *d.residual);
    text += ',';
  }
  if (record.limited) {
    text += "\"step_kl\":";
    append_number(text, record.limited->divergence);
    text += ",\"step_factor\":";
    append_number(text, record.limited->factor);
    text += ',';
  }
  text += "\"batches\":[";
  for (std::size_t i = 0; i < d.batches.size(); ++i) {
    if (i > 0) text += ',';
    append_batch(text, d.batches[i]);
  }
  text += "]}\n";
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& folder, const RunLogFiles& files)
    : metrics_every_(files.metrics_every), progress_(folder / kProgress) {
  progress_.lines() = std::string(kProgressColumns) + "\n";
  if (metrics_every_ > 0) metrics_ = std::make_unique<LogFile>(folder / kMetrics);
  if (files.evaluations) {
    evaluations_ = std::make_unique<LogFile>(folder / kEvaluations);
    evaluations_->lines() = std::string(kEvaluationColumns) + "\n";
  }
}

RunLog::RunLog(const std::filesystem::path& folder, const RunLogFiles& files,
               const std::map<std::string, Index>& lengths)
    : metrics_every_(files.metrics_every), progress_(folder / kProgress, as_size(lengths.at(kProgress))) {
  const auto continued = [&](const char* name) {
    return std::make_unique<LogFile>(folder / name, as_size(lengths.at(name)));
  };
  if (metrics_every_ > 0) metrics_ = continued(kMetrics);
  if (files.evaluations) evaluations_ = continued(kEvaluations);
}

RunLog::~RunLog() = default;

void RunLog::add(const IterationRecord& record) {
  if (fresh_count_ == fresh_.size()) fresh_.emplace_back();
  fresh_[fresh_count_++] = record;  // reuses the memory of an earlier one
  if (fresh_count_ == kTogether) hand_over();
}

void RunLog::add(std::span<const IterationRecord> records) {
  drain();
  format(records);
}

void RunLog::format(std::span<const IterationRecord> records) {
  for (const IterationRecord& record : records) {
    append_progress(progress_.lines(), record);
    if (metrics_ != nullptr && record.iteration % metrics_every_ == 0) append_metrics(metrics_->lines(), record);
    if (evaluations_ != nullptr && record.evaluation) {
      append_evaluation(evaluations_->lines(), record.iteration, record, *record.evaluation);
    }
  }
}

void RunLog::add_last_evaluation(const RunResult& result) {
  append_evaluation(evaluations_->lines(), result.iterations, result, *result.last_evaluation);
}

void RunLog::hand_over() {
  background_.wait();
  std::swap(fresh_, handed_);
  background_.start([this, count = fresh_count_] { format(std::span(handed_).first(count)); });
  fresh_count_ = 0;
}

void RunLog::drain() {
  background_.wait();
  format(std::span(fresh_).first(fresh_count_));
  fresh_count_ = 0;
}

template <typename Use>
void RunLog::for_files(const Use& use) const {
  use(kProgress, progress_);
  if (metrics_ != nullptr) use(kMetrics, *metrics_);
  if (evaluations_ != nullptr) use(kEvaluations, *evaluations_);
}

void RunLog::flush() {
  drain();
  progress_.flush();
  if (metrics_ != nullptr) metrics_->flush();
  if (evaluations_ != nullptr) evaluations_->flush();
}

void RunLog::sync() {
  drain();
  progress_.sync();
  if (metrics_ != nullptr) metrics_->sync();
  if (evaluations_ != nullptr) evaluations_->sync();
}

std::map<std::string, Index> RunLog::lengths() const {
  std::map<std::string, Index> lengths;
  for_files([&](const char* name, const LogFile& file) { lengths[name] = as_index(file.written()); });
  return lengths;
}

std::size_t RunLog::waiting() const {
  std::size_t waiting = 0;
  for_files([&](const char*, const LogFile& file) { waiting += file.waiting(); });
  return waiting;
}

}  // namespace retropg
