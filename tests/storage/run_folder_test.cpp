#include "retropg/storage/run_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "retropg/core/version.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/storage/policy_file.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/session.hpp"

#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/output_folder.hpp"

namespace retropg::test {
namespace {

using Json = nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// design, section 8
const std::string kColumns =
    "iteration,trajectories,steps,return_mean,return_std,gradient_norm,ess,weight_mean,weight_max,log_d2_max,skipped,"
    "dropped";

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::size_t begin = 0;
  for (std::size_t end = line.find(','); end != std::string::npos; end = line.find(',', begin)) {
    result.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  result.push_back(line.substr(begin));
  return result;
}

double number(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << "'" << text << "' is no number";
  return value;
}

IterationRecord difficult_record() {
  return {.iteration = 3,
          .trajectories = 9007199254740993,  // above 2^53: must not pass through a double
          .steps = 123456789012345678,
          .return_mean = 0.1 + 0.2,
          .return_std = 1e-310,
          .gradient_norm = 1.7976931348623157e308,
          .skipped = 2,
          .dropped = 4,
          .diagnostics = {.effective_sample_size = 1.0 / 3.0,
                          .weight_mean = -0.0,
                          .weight_max = 5e-324,
                          .log_divergence_max = 2.0 / 7.0,
                          .saturated = 17,
                          .batches = {{.age = 0,
                                       .effective_sample_size = 0.1,
                                       .log_divergence = 1e22,
                                       .alpha = 0.7000000000000001,
                                       .lambda = 1e-5},
                                      {.age = 8,
                                       .effective_sample_size = std::numeric_limits<double>::infinity(),
                                       .log_divergence = 0.0,
                                       .alpha = kNan,
                                       .lambda = kNan}}}};
}

void fail_on_warning(const std::string& line) {
  ADD_FAILURE() << line;
}

/// A folder whose run does not move.
struct StandingRun {
  explicit StandingRun(const std::filesystem::path& path, const std::string& command = "x")
      : training(configured({})), folder((make_output_folder(path), path), training, command, fail_on_warning) {}
  TrainingRun training;
  RunFolder folder;
};

/// Trains and writes a run as the program does.
RunResult run(const std::filesystem::path& path, const Configuration& configuration,
              std::vector<IterationRecord>* records = nullptr) {
  TrainingRun training(configuration);
  make_output_folder(path);
  RunFolder folder(path, training, "retropg train", fail_on_warning);
  const RunResult result = training.train([&](const IterationRecord& record) {
    folder.record(record);
    if (records != nullptr) records->push_back(record);
    return true;
  });
  folder.finish(result);
  return result;
}

TEST(RunFolder, HoldsTheFilesOfARun) {
  const TemporaryFolder folder;
  run(folder / "best", configured({"train.iterations=3"}));
  std::vector<std::string> names = listing(folder / "best");
  EXPECT_EQ(std::erase_if(names, [](const std::string& name) { return name.starts_with("events.out.tfevents."); }), 1U);
  EXPECT_EQ(names, (std::vector<std::string>{"checkpoints", "checkpoints/0.safetensors", "checkpoints/3.safetensors",
                                             "checkpoints/window-3.bin", "command.txt", "config.toml", "metrics.jsonl",
                                             "monitor.csv", "policy", "policy/best.safetensors",
                                             "policy/estimate.safetensors", "policy/final.safetensors", "progress.csv",
                                             "provenance.json", "result.json", "status", "timing.jsonl"}));
  EXPECT_EQ(read_file(folder / "best/status"), "done\n");
  run(folder / "deep/er/random", configured({"train.iterations=3", "train.output=random"}));
  EXPECT_TRUE(std::filesystem::exists(folder / "deep/er/random/policy/random.safetensors")) << "parents are made";
}

TEST(RunFolder, WritesTheColumnsOfTheDesign) {
  const TemporaryFolder folder;
  run(folder / "r", configured({"train.iterations=5"}));
  const std::vector<std::string> progress = lines(read_file(folder / "r/progress.csv"));
  ASSERT_EQ(progress.size(), 6u);
  EXPECT_EQ(progress[0], kColumns);
  for (std::size_t k = 1; k < progress.size(); ++k) {
    ASSERT_EQ(cells(progress[k]).size(), cells(kColumns).size());
    EXPECT_EQ(cells(progress[k])[0], std::to_string(k));
  }
}

TEST(RunFolder, WritesNumbersThatReadBackTheSame) {
  const TemporaryFolder folder;
  const IterationRecord record = difficult_record();
  {
    StandingRun run(folder / "r");
    run.folder.record(record);
  }
  const std::vector<std::string> row = cells(lines(read_file(folder / "r/progress.csv")).at(1));
  ASSERT_EQ(row.size(), 12u);
  EXPECT_EQ(row[0], "3");
  EXPECT_EQ(row[1], "9007199254740993");
  EXPECT_EQ(row[2], "123456789012345678");
  const std::vector<double> expected{record.return_mean,
                                     record.return_std,
                                     record.gradient_norm,
                                     record.diagnostics.effective_sample_size,
                                     record.diagnostics.weight_mean,
                                     record.diagnostics.weight_max,
                                     record.diagnostics.log_divergence_max};
  std::vector<double> read;
  for (std::size_t i = 3; i < 10; ++i) read.push_back(number(row[i]));
  EXPECT_EQ(bits(read), bits(expected));
  EXPECT_EQ(row[3], "0.30000000000000004") << "the shortest text that reads back the same";
  EXPECT_EQ(row[10], "2");
  EXPECT_EQ(row[11], "4");

  const Json metrics = Json::parse(lines(read_file(folder / "r/metrics.jsonl")).at(0));
  EXPECT_EQ(metrics.at("iteration"), 3);
  EXPECT_EQ(metrics.at("saturated"), 17);
  const Json& batches = metrics.at("batches");
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].at("age"), 0);
  EXPECT_EQ(batches[0].at("ess").get<double>(), 0.1);
  EXPECT_EQ(batches[0].at("log_d2").get<double>(), 1e22);
  EXPECT_EQ(batches[0].at("alpha").get<double>(), 0.7000000000000001);
  EXPECT_EQ(batches[0].at("lambda").get<double>(), 1e-5);
  EXPECT_EQ(batches[1].at("age"), 8);
  EXPECT_TRUE(batches[1].at("alpha").is_null()) << "what a rule does not define; JSON has no NaN";
  EXPECT_TRUE(batches[1].at("lambda").is_null());
  EXPECT_TRUE(batches[1].at("ess").is_null()) << "JSON has no infinity";
}

TEST(RunFolder, WritesWhatALimitDidToTheStep) {
  const TemporaryFolder folder;
  std::vector<IterationRecord> records;
  run(folder / "on", configured({"train.iterations=3", "optimizer.trust=1e-3"}), &records);
  const std::vector<std::string> on = lines(read_file(folder / "on/metrics.jsonl"));
  ASSERT_EQ(on.size(), 3u);
  for (std::size_t k = 0; k < on.size(); ++k) {
    const Json metrics = Json::parse(on[k]);
    EXPECT_EQ(metrics.at("step_kl").get<double>(), records[k].limited->divergence);
    EXPECT_EQ(metrics.at("step_factor").get<double>(), records[k].limited->factor);
  }
  run(folder / "off", configured({"train.iterations=3"}));
  EXPECT_EQ(read_file(folder / "off/metrics.jsonl").find("step_"), std::string::npos);
  EXPECT_EQ(lines(read_file(folder / "on/progress.csv"))[0], kColumns);
}

TEST(RunFolder, WritesWhatTheRecordsSaid) {
  const TemporaryFolder folder;
  std::vector<IterationRecord> records;
  run(folder / "r", configured({"train.iterations=20", "algo.window=12"}), &records);
  const std::vector<std::string> progress = lines(read_file(folder / "r/progress.csv"));
  const std::vector<std::string> metrics = lines(read_file(folder / "r/metrics.jsonl"));
  ASSERT_EQ(records.size(), 20u);
  ASSERT_EQ(progress.size(), 21u);
  ASSERT_EQ(metrics.size(), 20u);
  for (std::size_t k = 0; k < records.size(); ++k) {
    const IterationRecord& r = records[k];
    const Diagnostics& d = r.diagnostics;
    const std::vector<double> expected{static_cast<double>(r.iteration),
                                       static_cast<double>(r.trajectories),
                                       static_cast<double>(r.steps),
                                       r.return_mean,
                                       r.return_std,
                                       r.gradient_norm,
                                       d.effective_sample_size,
                                       d.weight_mean,
                                       d.weight_max,
                                       d.log_divergence_max,
                                       static_cast<double>(r.skipped),
                                       static_cast<double>(r.dropped)};
    std::vector<double> read;
    for (const std::string& cell : cells(progress[k + 1])) read.push_back(number(cell));
    EXPECT_EQ(bits(read), bits(expected));

    const Json line = Json::parse(metrics[k]);
    ASSERT_EQ(line.at("batches").size(), d.batches.size());
    for (std::size_t i = 0; i < d.batches.size(); ++i) {
      EXPECT_EQ(line["batches"][i]["age"], d.batches[i].age);
      EXPECT_EQ(line["batches"][i]["ess"].get<double>(), d.batches[i].effective_sample_size);
      EXPECT_EQ(line["batches"][i]["log_d2"].get<double>(), d.batches[i].log_divergence);
      EXPECT_EQ(line["batches"][i]["alpha"].get<double>(), d.batches[i].alpha);
      EXPECT_EQ(line["batches"][i]["lambda"].get<double>(), d.batches[i].lambda);
    }
  }
}

TEST(RunFolder, RecordsAgesUpToSevenAndThenPowersOfTwo) {
  const TemporaryFolder folder;
  run(folder / "r", configured({"train.iterations=40", "algo.window=all", "algo.batch=4"}));
  const Json last = Json::parse(lines(read_file(folder / "r/metrics.jsonl")).back());
  std::vector<Index> ages;
  for (const Json& batch : last.at("batches")) ages.push_back(batch.at("age"));
  EXPECT_EQ(ages, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32}));
}

TEST(RunFolder, HasNoClockAndNoHostWhereTheSeedDecides) {
  // Every word of these files is accounted for, so there is no place for a clock or a host.
  const TemporaryFolder folder;
  const Configuration configuration = canonical(configured({"train.iterations=5", "train.seed=77", "train.threads=2"}));
  run(folder / "a", configuration);
  EXPECT_EQ(read_file(folder / "a/config.toml"), to_toml(configuration));
  EXPECT_EQ(load_configuration(folder / "a/config.toml"), configuration);
  for (const std::string& line : lines(read_file(folder / "a/progress.csv"))) {
    EXPECT_EQ(cells(line).size(), 12u);
  }
  for (const std::string& line : lines(read_file(folder / "a/metrics.jsonl"))) {
    const Json object = Json::parse(line);
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    EXPECT_EQ(keys, (std::set<std::string>{"iteration", "saturated", "batches"}));
    for (const Json& batch : object.at("batches")) {
      keys.clear();
      for (const auto& [key, value] : batch.items()) keys.insert(key);
      EXPECT_EQ(keys, (std::set<std::string>{"age", "ess", "log_d2", "alpha", "lambda"}));
    }
  }
  run(folder / "b", configuration);
  for (const char* file :
       {"config.toml", "progress.csv", "metrics.jsonl", "policy/best.safetensors", "policy/final.safetensors"}) {
    EXPECT_FALSE(read_file(folder / "a" / file).empty()) << file;
    EXPECT_EQ(read_file(folder / "a" / file), read_file(folder / "b" / file)) << file;
  }
}

TEST(RunFolder, KeepsClocksHostsAndVersionsApart) {
  const TemporaryFolder folder;
  run(folder / "r", configured({"train.iterations=5"}));
  const Json provenance = Json::parse(read_file(folder / "r/provenance.json"));
  EXPECT_EQ(provenance.at("retropg"), version());
  EXPECT_EQ(provenance.at("compiler"), compiler());
  char host[256] = "";
  ASSERT_EQ(gethostname(host, sizeof(host) - 1), 0);
  EXPECT_EQ(provenance.at("host"), host);
  EXPECT_TRUE(
      std::regex_match(provenance.at("started").get<std::string>(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  EXPECT_TRUE(provenance.contains("simd"));
  EXPECT_EQ(provenance.at("mujoco"), mujoco_version());
  const std::vector<std::string> timing = lines(read_file(folder / "r/timing.jsonl"));
  ASSERT_EQ(timing.size(), 1u) << "one line at the end, and one for each flush before it";
  const Json line = Json::parse(timing[0]);
  EXPECT_EQ(line.at("iteration"), 5);
  EXPECT_GT(line.at("steps").get<Index>(), 0);
  EXPECT_GE(line.at("seconds").get<double>(), 0.0);
}

TEST(RunFolder, KeepsTheCommand) {
  const TemporaryFolder folder;
  const StandingRun run(folder / "r", "retropg train --env 'Cart Pole'");
  EXPECT_EQ(read_file(folder / "r/command.txt"), "retropg train --env 'Cart Pole'\n");
  EXPECT_EQ(run.folder.path(), folder / "r");
}

TEST(RunFolder, SavesTheIteratesOfTheRun) {
  const TemporaryFolder folder;
  const RunResult result =
      run(folder / "r", configured({"train.iterations=15", "train.output=random", "train.seed=4"}));
  EXPECT_EQ(bits(load_policy(folder / "r/policy/best.safetensors").parameters), bits(result.best));
  EXPECT_EQ(bits(load_policy(folder / "r/policy/final.safetensors").parameters), bits(result.last));
  EXPECT_EQ(bits(load_policy(folder / "r/policy/random.safetensors").parameters), bits(result.output));
  EXPECT_NE(result.best, result.last);
  EXPECT_EQ(load_policy(folder / "r/policy/best.safetensors").environment, "CartPoleContinuous-v0");
}

TEST(RunFolder, SavesHowAHyperpolicyDrawsItsParameters) {
  const TemporaryFolder folder;
  const Configuration configuration =
      configured({"algo.name=pgpe", "hyperpolicy.variance=0.7", "hyperpolicy.learn_deviation=true",
                  "train.iterations=2", "train.output=random"});
  run(folder / "r", configuration);
  for (const char* name : {"best", "final", "random"}) {
    const SavedPolicy saved = load_policy(folder / "r/policy" / (std::string(name) + ".safetensors"));
    EXPECT_EQ(saved.exploration, Exploration::kParameters) << name;
    EXPECT_EQ(saved.hyperpolicy, configuration.hyperpolicy) << name;
    EXPECT_EQ(saved.parameters.size(), 8U) << name;
  }
}

TEST(RunFolder, KeepsTheLinesOfARunThatFailed) {
  const TemporaryFolder folder;
  {
    StandingRun run(folder / "r");
    for (int k = 0; k < 3; ++k) run.folder.record(difficult_record());
  }  // an exception ends the run: no finish
  EXPECT_EQ(lines(read_file(folder / "r/progress.csv")).size(), 4u);
  EXPECT_EQ(lines(read_file(folder / "r/metrics.jsonl")).size(), 3u);
}

TEST(RunFolder, RefusesToTouchWhatExists) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "taken");
  write_file(folder / "file", "mine");
  const auto before = listing(folder.path());
  for (const char* name : {"taken", "file"}) {
    const std::filesystem::path path = folder / name;
    expect_throw([&] { check_output_folder(path); }, path.string() + ": already exists");
    expect_throw([&] { make_output_folder(path); }, path.string() + ": already exists");
  }
  expect_throw([&] { check_output_folder(folder / "file/below"); }, "is not a writable folder");
  expect_throw([] { check_output_folder(""); }, "the output folder has no name");
  EXPECT_EQ(listing(folder.path()), before);
  EXPECT_EQ(read_file(folder / "file"), "mine");
}

TEST(RunFolder, ChecksAFolderWithoutMakingIt) {
  const TemporaryFolder folder;
  EXPECT_NO_THROW(check_output_folder(folder / "new"));
  EXPECT_NO_THROW(check_output_folder(folder / "new/and/deep"));
  EXPECT_TRUE(listing(folder.path()).empty());
}

TEST(RunFolder, RefusesANameTheSystemCannotHold) {
  const TemporaryFolder folder;
  expect_throw([&] { check_output_folder(folder / std::string(300, 'x')); }, "xxx");
}

TEST(RunFolder, IsNamedAfterTheRunByDefault) {
  Configuration configuration = configured({"env.id=LinearQuadratic-v0", "algo.name=bh-pg", "train.seed=12"});
  EXPECT_EQ(run_name(configuration), "LinearQuadratic-v0__bh-pg__12");
  const TemporaryFolder folder;
  const std::string path = make_dated_folder(folder / "runs", "x").string();
  EXPECT_TRUE(std::regex_search(path, std::regex(R"(/runs/x__\d{8}T\d{6}Z$)"))) << path;
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

}  // namespace
}  // namespace retropg::test
