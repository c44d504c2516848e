#include "retropg/storage/event_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include <retropg/storage/event.pb.h>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "retropg/storage/tensorboard_records.hpp"

namespace retropg {
namespace {

using tensorboard::Event;
using tensorboard::Summary;

constexpr Index kLatest = 9'999'999'999;  // names have ten digits

/// TensorBoard reads the files of a folder in the order of their names, so a new one has to be the last, also if two
/// are made within a second or if the clock was set back.
Place new_place(const Place& folder) {
  auto second = static_cast<Index>(seconds_since_1970());
  const std::string_view beginning = kEventFiles;
  for (const std::string& name : names_in(folder)) {
    if (!name.starts_with(beginning)) continue;
    Index of_other = 0;
    std::from_chars(name.data() + beginning.size(), name.data() + name.size(), of_other);
    if (of_other < kLatest) second = std::max(second, of_other + 1);
  }
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  return folder / fmt::format("{}{:010}.{}.{}", beginning, second, host, getpid());
}

/// A number that the method does not define is left out.
void add_value(Summary& summary, std::string_view tag, double value) {
  if (std::isnan(value)) return;
  Summary::Value& added = *summary.add_value();
  added.set_tag(tag.data(), tag.size());
  added.set_simple_value(static_cast<float>(value));
}

double mean_length(const std::vector<Outcome>& outcomes) {
  double sum = 0.0;
  for (const Outcome& outcome : outcomes) sum += static_cast<double>(outcome.length);
  return sum / static_cast<double>(outcomes.size());
}

void add_batch(Summary& summary, const BatchDiagnostics& batch) {
  const auto tag = [&](const char* name) { return fmt::format(FMT_COMPILE("weights/{}_age_{}"), name, batch.age); };
  if (batch.age == 1) add_value(summary, "reuse/ess_age_1", batch.effective_sample_size);
  add_value(summary, tag("alpha"), batch.alpha);
  add_value(summary, tag("lambda"), batch.lambda);
}

void add_values(Summary& summary, const Evaluation& evaluation) {
  add_value(summary, "eval/mean_reward", evaluation.mean);
  add_value(summary, "eval/mean_ep_length", mean_length(evaluation.outcomes));
}

void add_values(Summary& summary, const IterationRecord& record) {
  const Diagnostics& d = record.diagnostics;
  add_value(summary, "rollout/ep_rew_mean", record.return_mean);
  add_value(summary, "rollout/ep_len_mean", mean_length(record.outcomes));
  add_value(summary, "rollout/trajectories", static_cast<double>(record.trajectories));
  add_value(summary, "time/iterations", static_cast<double>(record.iteration));
  add_value(summary, "time/total_timesteps", static_cast<double>(record.steps));
  add_value(summary, "grad/norm", record.gradient_norm);
  add_value(summary, "reuse/ess", d.effective_sample_size);
  add_value(summary, "reuse/log_d2_max", d.log_divergence_max);
  add_value(summary, "weights/mean", d.weight_mean);
  add_value(summary, "weights/max", d.weight_max);
  add_value(summary, "weights/saturated", static_cast<double>(d.saturated));
  for (const BatchDiagnostics& batch : d.batches) add_batch(summary, batch);
  if (record.evaluation) add_values(summary, *record.evaluation);
}

Event event_at(double wall_time, Index step) {
  Event event;
  event.set_wall_time(wall_time);
  event.set_step(step);
  return event;
}

void append(std::string& to, const Event& event) {
  append_record(to, event.SerializeAsString());
}

}  // namespace

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFile::EventFile(const Place& folder, const EventFileStart& start)
    : began_(seconds_since_1970() - start.seconds), file_(new_place(folder)) {
  Event version = event_at(began_ + start.seconds, 0);
  version.set_file_version("brain.Event:2");
  append(file_.lines(), version);
  if (!start.repeated) return;
  Event restart = event_at(began_ + start.seconds, *start.repeated);
  restart.mutable_session_log()->set_status(tensorboard::SessionLog::START);
  append(file_.lines(), restart);
}

void EventFile::add(const IterationRecord& record, double seconds, bool always) {
  if (seconds < next_ && !always && !record.evaluation) return;
  next_ = seconds + std::clamp(seconds / 1000.0, 0.001, 1.0);
  Event event = event_at(began_ + seconds, record.steps);
  add_values(*event.mutable_summary(), record);
  append(file_.lines(), event);
}

void EventFile::add(const Evaluation& evaluation, Index steps, double seconds) {
  Event event = event_at(began_ + seconds, steps);
  add_values(*event.mutable_summary(), evaluation);
  append(file_.lines(), event);
}

}  // namespace retropg
