#include <gtest/gtest.h>

#include <algorithm>

#include "retropg/storage/examination.hpp"
#include "retropg/storage/read_lines.hpp"
#include "support/examined.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/run_on_disk.hpp"

namespace retropg::test {
namespace {

const std::vector<std::string> kShort = {"train.iterations=5", "algo.batch=3", "checkpoint.every=2"};

bool is_event_file(const std::string& file) {
  return file.starts_with("events.out.tfevents.");
}

/// A run folder and copies of it to be damaged.
class ExaminationDamage : public testing::Test {
 protected:
  explicit ExaminationDamage(Ending ending = Ending::kDone, Index until = -1) {
    write_run(folder / "whole", kShort, ending, until);
    for (const std::string& name : listing(folder / "whole")) {
      if (std::filesystem::is_regular_file(folder / "whole" / name)) files.push_back(name);
    }
  }
  /// A fresh copy with another content of a file.
  Examination with(const std::string& file, const std::string& text) {
    restore();
    write_file(copy / file, text);
    return examine_run(copy);
  }
  Examination replacing(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = read_file(folder / "whole" / file);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return with(file, text.replace(at, from.size(), to));
  }
  void restore() {
    std::filesystem::remove_all(copy);
    std::filesystem::copy(folder / "whole", copy, std::filesystem::copy_options::recursive);
  }
  std::string text_of(const std::string& file) const { return read_file(folder / "whole" / file); }
  /// The line of a log with its end, 0 the first.
  std::string line(const std::string& file, std::size_t number) const { return lines(text_of(file)).at(number) + "\n"; }

  TemporaryFolder folder;
  std::filesystem::path copy = folder / "copy";
  std::vector<std::string> files;
};

class KilledDamage : public ExaminationDamage {
 protected:
  KilledDamage() : ExaminationDamage(Ending::kKilled, 3) {}
};

TEST_F(ExaminationDamage, AFileThatIsCutIsFound) {
  ASSERT_EQ(files.size(), 16U);
  for (const std::string& file : files) {
    const std::string text = text_of(file);
    for (const std::size_t size : {std::size_t{0}, text.size() / 2, text.size() - 1}) {
      const Examination run = with(file, text.substr(0, size));
      expect_finding(run, file, Severity::kDamaged, "");
      EXPECT_FALSE(run.well()) << file << " cut to " << size;
    }
  }
}

TEST_F(ExaminationDamage, AFileThatIsMissingIsFound) {
  for (const std::string& file : files) {
    restore();
    std::filesystem::remove(copy / file);
    const Examination run = examine_run(copy);
    if (is_event_file(file)) {
      EXPECT_EQ(complaints(run.findings), "") << "nothing needs it";
    } else if (file == "command.txt") {
      expect_finding(run, file, Severity::kFine, "is not there");
    } else if (file == "checkpoints/4.safetensors") {
      expect_finding(run, "checkpoints", Severity::kWarning, "the one before it is missing");
    } else if (file == "checkpoints/5.safetensors") {
      expect_finding(run, "checkpoints", Severity::kWarning, "the one before it is missing");
      expect_finding(run, "status", Severity::kWarning, "says done, but the run is not complete after iteration 4");
      expect_finding(run, "progress.csv", Severity::kDamaged, "when the run ended");
    } else if (file.starts_with("checkpoints/window")) {
      expect_finding(run, "checkpoints/5.safetensors", Severity::kDamaged, file);
    } else {
      expect_finding(run, file, Severity::kDamaged, "is missing");
    }
  }
}

TEST_F(ExaminationDamage, AFlippedByteOfACheckpointIsAlwaysFound) {
  for (const std::string& file : files) {
    if (!file.starts_with("checkpoints/")) continue;
    const std::string text = text_of(file);
    const std::size_t stride = std::max<std::size_t>(1, text.size() / 60);
    for (std::size_t at = 0; at < text.size(); at += stride) {
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x04);
      expect_finding(with(file, flipped), file, Severity::kDamaged, "");
    }
  }
}

TEST_F(ExaminationDamage, AFlippedByteOfAPolicyOfAFinishedRunIsFound) {
  for (const std::string file : {"policy/best.safetensors", "policy/final.safetensors"}) {
    std::string text = text_of(file);
    const std::size_t header = 8 + static_cast<unsigned char>(text[0]) + 256U * static_cast<unsigned char>(text[1]);
    for (std::size_t at = header; at < header + 48; ++at) {  // the first tensors by name: a range, four parameters
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x01);
      const Examination run = with(file, flipped);
      expect_finding(run, file, Severity::kDamaged, "");
      EXPECT_EQ(run.evaluate.empty(), false) << "the other one is whole";
    }
    expect_finding(replacing(file, "CartPole", "CartHole"), file, Severity::kDamaged, "");
  }
}

TEST_F(ExaminationDamage, FilesOfAnotherRunAreFound) {
  write_run(folder / "other", {"train.iterations=5", "algo.batch=3", "checkpoint.every=2", "train.seed=2"});
  for (const std::string& file : files) {
    if (is_event_file(file)) continue;
    const Examination run = with(file, read_file(folder / "other" / file));
    const bool same = file == "command.txt" || file == "status" || file == "provenance.json";
    EXPECT_EQ(run.well(), same) << file << "\n" << complaints(run.findings);
  }
  expect_finding(with("progress.csv", read_file(folder / "other/progress.csv")), "progress.csv", Severity::kDamaged,
                 "");
  expect_finding(with("policy/final.safetensors", text_of("policy/best.safetensors")), "policy/final.safetensors",
                 Severity::kDamaged, "is not the policy at the end of this run");
  write_run(folder / "bandit", {"env.id=Bandit", "train.iterations=5", "checkpoint.every=2"});
  expect_finding(with("policy/best.safetensors", read_file(folder / "bandit/policy/best.safetensors")),
                 "policy/best.safetensors", Severity::kDamaged, "was trained on GaussianBandit-v0");
}

TEST_F(ExaminationDamage, SaysWhatIsWrongWithALine) {
  const auto expect_damage = [&](const Examination& run, const std::string& file, const std::string& text) {
    expect_finding(run, file, Severity::kDamaged, text);
  };
  const std::string progress = "progress.csv", second = line(progress, 2);
  expect_damage(replacing(progress, "iteration,", "iterations,"), progress, "line 1: is not the header");
  expect_damage(replacing(progress, second, ""), progress, "line 3: is about iteration 3; expected 2");
  expect_damage(replacing(progress, second, second + second), progress, "line 4: is about iteration 2; expected 3");
  expect_damage(replacing(progress, second, "2,3\n"), progress, "line 3: has 2 cells; expected 12");
  expect_damage(replacing(progress, "\n2,6,", "\n2,6x,"), progress, "line 3: '6x' is not a number");
  expect_damage(replacing(progress, "\n2,6,", "\n2,2,"), progress, "line 3: counts fewer trajectories");
  expect_damage(with(progress, text_of(progress) + line(progress, 1)), progress, "line 7: is about iteration 1");
  std::string last = line(progress, 5);
  std::size_t cell = 0;  // begins with the mean return
  for (int comma = 0; comma < 3; ++comma) cell = last.find(',', cell) + 1;
  last[cell] = last[cell] == '9' ? '8' : '9';
  expect_damage(replacing(progress, line(progress, 5), last), progress, "line 6: has the mean return ");

  const std::string metrics = "metrics.jsonl";
  expect_damage(replacing(metrics, "{\"iteration\":2", "[\"iteration\":2"), metrics, "line 2: is not a JSON object");
  expect_damage(replacing(metrics, "\"iteration\":2", "\"iteration\":7"), metrics, "line 2: is about iteration 7");
  expect_damage(replacing(metrics, "\"saturated\"", "\"saturates\""), metrics,
                "line 1: has no whole number 'saturated'");
  expect_damage(replacing(metrics, "\"batches\"", "\"botches\""), metrics, "line 1: has no list 'batches'");
  expect_damage(replacing(metrics, "\"ess\"", "\"esz\""), metrics, "line 1: has a batch without a number 'ess'");
  expect_damage(replacing(metrics, line(metrics, 3), ""), metrics, "line 4: is about iteration 5; expected 4");
  expect_damage(with(metrics, text_of(metrics) + line(metrics, 0)), metrics, "line 6: is about iteration 1");
  expect_damage(replacing(metrics, "\"saturated\":0", "\"saturated\":00000"), metrics, "line 1: is not a JSON object");
  expect_damage(replacing(metrics, "\"saturated\":0", "\"saturated\":1234"), metrics,
                "line 4: goes on where the log ended at the checkpoint after iteration 4");

  const std::string timing = "timing.jsonl";
  expect_damage(replacing(timing, "steps", "stops"), timing, "line 1: has no whole number 'steps'");
  expect_damage(replacing(timing, "\"iteration\":5", "\"iteration\":4"), timing, "ends with iteration 4");
}

TEST_F(ExaminationDamage, SmallFilesAreRead) {
  expect_finding(replacing("status", "done", "dune"), "status", Severity::kDamaged, "is unknown: 'dune'");
  expect_finding(replacing("provenance.json", "{", "["), "provenance.json", Severity::kDamaged, "JSON");
  expect_finding(replacing("provenance.json", "\"retropg\"", "\"retropq\""), "provenance.json", Severity::kDamaged,
                 "names no version");
  expect_finding(replacing("config.toml", "batch = 3", "batch == 3"), "config.toml", Severity::kDamaged, "config.toml");
  expect_finding(replacing("config.toml", "batch = 3", "batch  = 3"), "config.toml", Severity::kWarning, "edited");
  expect_finding(replacing("config.toml", "batch = 3", "batch = 4"), "config.toml", Severity::kWarning,
                 "has algo.batch = 4, but had 3");
  const Examination threads = replacing("config.toml", "threads = 0", "threads = 1");
  EXPECT_TRUE(threads.well()) << "results do not depend on threads";
  EXPECT_TRUE(threads.resume_after);
}

TEST_F(KilledDamage, WhatAResumedRunWritesAgainIsNotLost) {
  for (const std::string file : {"progress.csv", "metrics.jsonl"}) {
    const std::string text = text_of(file);
    const Examination torn = with(file, text.substr(0, text.size() - 5));
    expect_finding(torn, file, Severity::kWarning, "ends within a line; a resumed run writes this part again");
    EXPECT_TRUE(torn.well());
    EXPECT_TRUE(with(file, text + std::string(5000, '\0') + "\n").well()) << "blocks that were not yet on the disk";
    const Examination lost = with(file, text.substr(0, text.size() / 4));
    EXPECT_FALSE(lost.well());
    expect_finding(lost, file, Severity::kDamaged, "lines are lost");
  }
  EXPECT_TRUE(with("timing.jsonl", "{\"iterat").well());
}

TEST(ReadLines, ReadsAFileInPieces) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 300000; ++i) text += std::string(static_cast<std::size_t>(i % 23), 'x') + "\n";
  ASSERT_GT(text.size(), std::size_t{3} << 20);
  write_file(folder / "f", text + "rest");
  std::string read;
  Index number = 0;
  const auto visit = [&](const Line& line) {
    EXPECT_EQ(line.number, ++number);
    EXPECT_EQ(line.begin, as_index(read.size()));
    read += std::string(line.text) + "\n";
    EXPECT_EQ(line.end, as_index(read.size()));
    return true;
  };
  EXPECT_EQ(read_lines(folder / "f", visit), as_index(text.size()) + 4);
  EXPECT_TRUE(read == text);
  Index seen = 0;
  EXPECT_EQ(read_lines(folder / "f", [&](const Line&) { return ++seen < 3; }), as_index(text.size()) + 4);
  EXPECT_EQ(seen, 3);
}

TEST(ReadLines, RefusesWhatIsNoText) {
  const TemporaryFolder folder;
  const auto read = [&](const char* name) { read_lines(folder / name, [](const Line&) { return true; }); };
  write_file(folder / "long", std::string(std::size_t{20} << 20, 'x'));
  expect_throw([&] { read("long"); }, "has a line that is longer than 16 MiB");
  expect_throw([&] { read("nowhere"); }, "nowhere: is missing");
  expect_throw([&] { read(""); }, "is not a regular file");
}

}  // namespace
}  // namespace retropg::test
