#include "retropg/storage/run_log.hpp"

#include <cmath>
#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/monitor_file.hpp"

namespace retropg {
namespace {

constexpr const char* kProgress = "progress.csv";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kEvaluations = "evaluations.csv";
constexpr const char* kMonitor = "monitor.csv";
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
  if (!d.notice.empty()) fmt::format_to(std::back_inserter(text), FMT_COMPILE("\"notice\":\"{}\","), d.notice);
  text += "\"batches\":[";
  for (std::size_t i = 0; i < d.batches.size(); ++i) {
    if (i > 0) text += ',';
    append_batch(text, d.batches[i]);
  }
  text += "]}\n";
}

}  // namespace

EvaluationTable load_evaluations(const Place& folder, const TrainSettings& settings, Index iterations) {
  const Index count = iterations / settings.eval_every;
  if (count == 0) return EvaluationTable(settings.eval_episodes);
  const Place file = folder / kEvaluationTable;
  const std::string bytes = read_file(file);
  try {
    EvaluationTable table(bytes, settings.eval_episodes);
    require(table.size() >= count, fmt::format("has {} evaluations, but had {} at the checkpoint after iteration {}",
                                               table.size(), count, iterations));
    table.keep_first(count);
    return table;
  } catch (const Error& error) {
    throw Error(file.string() + ": " + error.what());
  }
}

RunLog::RunLog(const Place& folder, const Configuration& configuration)
    : folder_(folder), metrics_every_(configuration.log.metrics) {
  const auto begun = [&](const char* name, const std::string& header) {
    auto file = std::make_unique<LogFile>(folder / name);
    file->lines() = header;
    return file;
  };
  progress_ = begun(kProgress, std::string(kProgressColumns) + "\n");
  if (metrics_every_ > 0) metrics_ = begun(kMetrics, "");
  if (configuration.train.eval_every > 0) {
    evaluations_ = begun(kEvaluations, std::string(kEvaluationColumns) + "\n");
    if (configuration.log.monitor) table_.emplace(configuration.train.eval_episodes);
  }
  if (configuration.log.monitor) monitor_ = begun(kMonitor, monitor_header(configuration.env.id, seconds_since_1970()));
  if (configuration.log.tensorboard) events_ = std::make_unique<EventFile>(folder, EventFileStart());
}

RunLog::RunLog(const Place& folder, const Configuration& configuration, const LogsSoFar& so_far)
    : folder_(folder), metrics_every_(configuration.log.metrics) {
  const auto continued = [&](const char* name) {
    return std::make_unique<LogFile>(folder / name, as_size(so_far.lengths.at(name)));
  };
  const bool monitored = configuration.log.monitor && so_far.lengths.contains(kMonitor);
  if (monitored && configuration.train.eval_every > 0) {
    table_ = load_evaluations(folder, configuration.train, so_far.iteration);
    table_changed_ = table_->size() > 0;  // there may be more in the file
  }
  progress_ = continued(kProgress);
  if (metrics_every_ > 0) metrics_ = continued(kMetrics);
  if (configuration.train.eval_every > 0) evaluations_ = continued(kEvaluations);
  if (monitored) monitor_ = continued(kMonitor);
  if (configuration.log.tensorboard) {
    events_ =
        std::make_unique<EventFile>(folder, EventFileStart{.seconds = so_far.seconds, .repeated = so_far.steps + 1});
  }
}

RunLog::~RunLog() = default;

void RunLog::add(const IterationRecord& record, double seconds) {
  if (fresh_count_ == kTogether) hand_over();  // the newest one always waits here
  if (fresh_count_ == fresh_.size()) fresh_.emplace_back();
  Entry& entry = fresh_[fresh_count_++];
  entry.record = record;  // reuses the memory of an earlier one
  entry.seconds = seconds;
}

void RunLog::add(std::span<const IterationRecord> records, double seconds) {
  drain();
  for (const IterationRecord& record : records) format(record, seconds, &record == &records.back());
}

void RunLog::format(const IterationRecord& record, double seconds, bool newest) {
  append_progress(progress_->lines(), record);
  if (metrics_ != nullptr && record.iteration % metrics_every_ == 0) append_metrics(metrics_->lines(), record);
  if (monitor_ != nullptr) append_monitor(monitor_->lines(), record.outcomes, seconds);
  if (events_ != nullptr) events_->add(record, seconds, newest);
  if (evaluations_ == nullptr || !record.evaluation) return;
  append_evaluation(evaluations_->lines(), record.iteration, record, *record.evaluation);
  if (!table_) return;
  table_->add(record.steps, *record.evaluation);
  table_changed_ = true;
}

void RunLog::add_last_evaluation(const RunResult& result) {
  append_evaluation(evaluations_->lines(), result.iterations, result, *result.last_evaluation);
  if (events_ != nullptr) events_->add(*result.last_evaluation, result.steps, result.seconds);
  if (!table_) return;
  table_->add(result.steps, *result.last_evaluation);
  table_changed_ = true;
}

void RunLog::hand_over() {
  background_.wait();
  std::swap(fresh_, handed_);
  background_.start([this, count = fresh_count_] {
    for (const Entry& entry : std::span(handed_).first(count)) format(entry.record, entry.seconds, false);
  });
  fresh_count_ = 0;
}

void RunLog::drain() {
  background_.wait();
  for (std::size_t i = 0; i < fresh_count_; ++i) {
    format(fresh_[i].record, fresh_[i].seconds, i + 1 == fresh_count_);
  }
  fresh_count_ = 0;
}

std::vector<std::pair<const char*, LogFile*>> RunLog::files() const {
  std::vector<std::pair<const char*, LogFile*>> all = {{kProgress, progress_.get()},
                                                       {kMetrics, metrics_.get()},
                                                       {kEvaluations, evaluations_.get()},
                                                       {kMonitor, monitor_.get()}};
  std::erase_if(all, [](const auto& file) { return file.second == nullptr; });
  return all;
}

void RunLog::flush() {
  drain();
  for (const auto& [name, file] : files()) file->flush();
  if (events_ != nullptr) events_->flush();
}

void RunLog::sync() {
  drain();
  for (const auto& [name, file] : files()) file->sync();
  save_evaluations();
  if (events_ != nullptr) events_->flush();
}

void RunLog::save_evaluations() {
  drain();
  if (!table_changed_) return;
  write_file(folder_ / kEvaluationTable, table_->npz());
  table_changed_ = false;
}

std::map<std::string, Index> RunLog::lengths() const {
  std::map<std::string, Index> lengths;
  for (const auto& [name, file] : files()) lengths[name] = as_index(file->written());
  return lengths;
}

std::size_t RunLog::waiting() const {
  std::size_t waiting = events_ == nullptr ? 0 : events_->waiting();
  for (const auto& [name, file] : files()) waiting += file->waiting();
  return waiting;
}

}  // namespace retropg
