#include "retropg/storage/log_examination.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"
#include "retropg/core/function_ref.hpp"
#include "retropg/storage/log_line.hpp"
#include "retropg/storage/monitor_file.hpp"
#include "retropg/storage/read_lines.hpp"
#include "retropg/storage/run_log.hpp"

namespace retropg {
namespace {

using Json = nlohmann::json;

bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void require_iteration(Index found, Index expected) {
  require(found == expected, fmt::format("is about iteration {}; expected {}", found, expected));
}

/// Calls `read` with every line and the mark at the end of it, if there is one. What it throws is the line's problem.
void examine_lines(const Place& file, const LogMarks& marks, LogExamination& found,
                   FunctionRef<void(const Line&, const LogMark*)> read) {
  auto mark = marks.upper_bound(0);
  const auto problem = [&](Index at, const std::string& text) {
    found.problem = text;
    found.problem_at = at;
  };
  Index end = 0;
  found.bytes = read_lines(file, [&](const Line& line) {
    try {
      const bool marked = mark != marks.end() && mark->first == line.end;
      read(line, marked ? &mark->second : nullptr);
      if (!marked && mark != marks.end() && mark->first <= line.end) {
        throw Error(
            fmt::format("goes on where the log ended at the checkpoint after iteration {}", mark->second.iteration));
      }
      if (marked) ++mark;
      end = line.end;
      return true;
    } catch (const Error& error) {
      problem(line.begin, fmt::format("line {}: {}", line.number, error.what()));
      return false;
    }
  });
  if (!found.problem.empty()) return;
  if (mark != marks.end() && mark->first > found.bytes) {
    problem(found.bytes, fmt::format("has {} bytes, but had {} at the checkpoint after iteration {}: lines are lost",
                                     found.bytes, mark->first, mark->second.iteration));
  } else if (end < found.bytes) {
    problem(end, "ends within a line");
    found.torn = true;
  }
}

Json parsed_object(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  require(json.is_object(), "is not a JSON object");
  return json;
}

Index whole_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  require(found != json.end() && found->is_number_integer(), fmt::format("has no whole number '{}'", key));
  return found->get<Index>();
}

void require_batches(const Json& json) {
  const auto batches = json.find("batches");
  require(batches != json.end() && batches->is_array(), "has no list 'batches'");
  for (const Json& batch : *batches) {
    require(batch.is_object(), "'batches' should be a list of objects");
    whole_number(batch, "age");
    for (const char* key : {"ess", "log_d2", "alpha", "lambda"}) {
      const auto value = batch.find(key);
      require(value != batch.end() && (value->is_number() || value->is_null()),
              fmt::format("has a batch without a number '{}'", key));
    }
  }
}

}  // namespace

LogExamination examine_progress(const Place& file, const LogMarks& marks) {
  LogExamination found;
  Index trajectories = 0;
  const std::size_t columns = cells_of(kProgressColumns).size();
  examine_lines(file, marks, found, [&](const Line& line, const LogMark* mark) {
    if (line.number == 1) {
      require(line.text == kProgressColumns, "is not the header of this file");
    } else {
      const std::vector<std::string_view> cells = cells_of(line.text);
      require(cells.size() == columns, fmt::format("has {} cells; expected {}", cells.size(), columns));
      require_iteration(whole_number_in(cells[0]), found.iteration + 1);
      const Index before = std::exchange(trajectories, whole_number_in(cells[1]));
      const Index steps = std::exchange(found.steps, whole_number_in(cells[2]));
      require(trajectories > before && found.steps >= steps, "counts fewer trajectories or steps than the line before");
      for (std::size_t i = 3; i + 1 < columns; ++i) number_in(cells[i]);
      whole_number_in(cells[columns - 1]);
      if (mark != nullptr) {
        require(same_number(number_in(cells[3]), mark->return_mean),
                fmt::format("has the mean return {}, the checkpoint after iteration {} has {}", cells[3],
                            mark->iteration, mark->return_mean));
      }
      ++found.iteration;
      ++found.lines;
    }
    if (mark != nullptr) require_iteration(found.iteration, mark->iteration);
  });
  return found;
}

LogExamination examine_metrics(const Place& file, Index every, const LogMarks& marks) {
  LogExamination found;
  examine_lines(file, marks, found, [&](const Line& line, const LogMark* mark) {
    const Json json = parsed_object(line.text);
    require_iteration(whole_number(json, "iteration"), found.iteration + every);
    whole_number(json, "saturated");
    require_batches(json);
    found.iteration += every;
    ++found.lines;
    if (mark != nullptr) require_iteration(found.iteration, mark->iteration / every * every);
  });
  return found;
}

LogExamination examine_evaluations(const Place& file, Index every, const LogMarks& marks) {
  LogExamination found;
  const std::size_t columns = cells_of(kEvaluationColumns).size();
  Index last_begins = -1;  // of the line for the end
  examine_lines(file, marks, found, [&](const Line& line, const LogMark* mark) {
    if (line.number == 1) {
      require(line.text == kEvaluationColumns, "is not the header of this file");
    } else {
      const std::vector<std::string_view> cells = cells_of(line.text);
      require(cells.size() == columns, fmt::format("has {} cells; expected {}", cells.size(), columns));
      const Index before = found.iteration, now = whole_number_in(cells[0]);
      if (last_begins >= 0 || now <= before || now > before + every) require_iteration(now, before + every);
      if (now < before + every) last_begins = line.begin;
      for (const std::size_t whole : {1U, 2U, 5U}) whole_number_in(cells[whole]);
      for (const std::size_t number : {3U, 4U}) number_in(cells[number]);
      found.iteration = now;
      ++found.lines;
    }
    if (mark != nullptr) require_iteration(found.iteration, mark->iteration / every * every);
  });
  if (last_begins >= 0) found.bytes = last_begins;
  return found;
}

LogExamination examine_monitor(const Place& file, const LogMarks& marks) {
  LogExamination found;
  double seconds = 0.0;
  examine_lines(file, marks, found, [&](const Line& line, const LogMark*) {
    if (line.number == 1) {
      require(line.text.starts_with('#') && parsed_object(line.text.substr(1)).contains("t_start"),
              "is not the first line of this file");
    } else if (line.number == 2) {
      require(line.text == kMonitorColumns, "is not the header of this file");
    } else {
      const std::vector<std::string_view> cells = cells_of(line.text);
      require(cells.size() == 3, fmt::format("has {} cells; expected 3", cells.size()));
      number_in(cells[0]);
      const Index steps = whole_number_in(cells[1]);
      require(steps >= 1 && steps <= std::numeric_limits<Index>::max() - found.steps,
              fmt::format("has a trajectory of {} steps", steps));
      found.steps += steps;
      const double before = std::exchange(seconds, number_in(cells[2]));
      require(seconds >= before, "is of an earlier time than the line before");
      ++found.lines;
    }
  });
  return found;
}

LogExamination examine_timing(const Place& file) {
  LogExamination found;
  examine_lines(file, {}, found, [&](const Line& line, const LogMark*) {
    const Json json = parsed_object(line.text);
    found.iteration = whole_number(json, "iteration");
    found.steps = whole_number(json, "steps");
    const auto seconds = json.find("seconds");
    require(seconds != json.end() && seconds->is_number(), "has no number 'seconds'");
    ++found.lines;
  });
  return found;
}

}  // namespace retropg
