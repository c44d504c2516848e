#include "retropg/storage/evaluation_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "retropg/storage/crc.hpp"
#include "retropg/storage/examination.hpp"
#include "retropg/storage/little_endian.hpp"
#include "retropg/storage/run_log.hpp"
#include "support/examined.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/run_on_disk.hpp"

namespace retropg::test {
namespace {

EvaluationTable two_evaluations() {
  EvaluationTable table(2);
  table.add(100, {.episodes = 2, .outcomes = {{.value = 1.5, .length = 3}, {.value = -2.0, .length = 4}}});
  table.add(250, {.episodes = 1, .outcomes = {{.value = 7.0, .length = 5}}});
  return table;
}

TEST(EvaluationTable, IsAZipArchiveOfNumpyFiles) {
  const std::string bytes = two_evaluations().npz();
  std::size_t at = 0;
  const auto next = [&](const std::string& name, const std::string& header, std::size_t data) {
    EXPECT_EQ(bytes.substr(at, 4), std::string("PK\x03\x04")) << name;
    EXPECT_EQ(number_at<std::uint16_t>(bytes, at + 8), 0) << "stored";
    EXPECT_EQ(number_at<std::uint32_t>(bytes, at + 10), 0x210000U) << "no time";
    const std::size_t size = number_at<std::uint32_t>(bytes, at + 22);
    EXPECT_EQ(size, 128 + data);
    EXPECT_EQ(bytes.substr(at + 30, name.size()), name);
    const std::string content = bytes.substr(at + 30 + name.size(), size);
    EXPECT_EQ(number_at<std::uint32_t>(bytes, at + 14), crc32(content));
    EXPECT_EQ(content.substr(0, 10), std::string("\x93NUMPY\x01\0\x76\0", 10));
    EXPECT_EQ(content.substr(10, header.size()), header);
    EXPECT_EQ(content[127], '\n');
    at += 30 + name.size() + size;
    return content.substr(128);
  };
  const std::string steps = next("timesteps.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), } ", 16);
  EXPECT_EQ(number_at<std::int64_t>(steps, 8), 250);
  const std::string returns = next("results.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), } ", 32);
  EXPECT_EQ(number_at<double>(returns, 8), -2.0);
  EXPECT_EQ(number_at<double>(returns, 16), 7.0);
  EXPECT_TRUE(std::isnan(number_at<double>(returns, 24))) << "a broken episode";
  const std::string lengths =
      next("ep_lengths.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2), } ", 32);
  EXPECT_EQ(number_at<std::int64_t>(lengths, 16), 5);
  EXPECT_EQ(number_at<std::int64_t>(lengths, 24), 0);
  const std::size_t end = bytes.size() - 22;
  EXPECT_EQ(bytes.substr(at, 4), std::string("PK\x01\x02")) << "the directory";
  EXPECT_EQ(bytes.substr(end, 4), std::string("PK\x05\x06"));
  EXPECT_EQ(number_at<std::uint16_t>(bytes, end + 10), 3);
  EXPECT_EQ(number_at<std::uint32_t>(bytes, end + 12), end - at);
  EXPECT_EQ(number_at<std::uint32_t>(bytes, end + 16), at);
}

TEST(EvaluationTable, IsReadBackAndCut) {
  const std::string bytes = two_evaluations().npz();
  EvaluationTable read(bytes, 2);
  EXPECT_EQ(read.size(), 2);
  EXPECT_EQ(read.npz(), bytes);
  read.keep_first(1);
  EXPECT_EQ(EvaluationTable(read.npz(), 2).size(), 1);
  read.add(250, {.episodes = 1, .outcomes = {{.value = 7.0, .length = 5}}});
  EXPECT_EQ(read.npz(), bytes);
  EXPECT_EQ(EvaluationTable(EvaluationTable(3).npz(), 3).size(), 0);
}

TEST(EvaluationTable, RefusesWhatItDidNotWrite) {
  const std::string bytes = two_evaluations().npz();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x01);
    expect_throw([&] { EvaluationTable(flipped, 2); }, "not those of an .npz file");
    expect_throw([&] { EvaluationTable(std::string_view(bytes).substr(0, at), 2); }, "");
  }
  expect_throw([&] { EvaluationTable(bytes, 3); }, "");
}

const std::vector<std::string> kRun = {"algo.batch=3", "checkpoint.every=2", "env.horizon=30", "train.eval_episodes=4",
                                       "train.eval_every=3"};

std::vector<std::string> of_length(Index iterations) {
  std::vector<std::string> settings = kRun;
  settings.push_back("train.iterations=" + std::to_string(iterations));
  return settings;
}

void resume(const std::filesystem::path& path, std::optional<Index> iterations = {}) {
  ResumeChanges changes;
  changes.iterations = iterations;
  ResumedRun resumed = resume_run(path, changes, [](const std::string& line) { ADD_FAILURE() << line; });
  resumed.folder->finish(resumed.run->train([&](const IterationRecord& record) {
    resumed.folder->record(record);
    return true;
  }));
}

TEST(EvaluationTable, OfAResumedRunHasTheSameBytes) {
  const TemporaryFolder folder;
  write_run(folder / "whole", of_length(7));
  const std::string whole = read_file(folder / "whole" / kEvaluationTable);
  EXPECT_EQ(EvaluationTable(whole, 4).size(), 3);
  for (Index until = 1; until < 7; ++until) {
    const std::filesystem::path path = folder / std::to_string(until);
    write_run(path, of_length(7), Ending::kKilled, until);
    EXPECT_EQ(complaints(examine_run(path).findings), "") << until;
    resume(path);
    EXPECT_EQ(read_file(path / kEvaluationTable), whole) << until;
    EXPECT_EQ(complaints(examine_run(path).findings), "") << until;
  }
  write_run(folder / "longer", of_length(11));
  resume(folder / "whole", 11);
  EXPECT_EQ(read_file(folder / "whole" / kEvaluationTable), read_file(folder / "longer" / kEvaluationTable));
}

TEST(EvaluationTable, ThatIsDamagedIsFound) {
  const TemporaryFolder folder;
  write_run(folder / "r", of_length(7));
  const std::filesystem::path file = folder / "r" / kEvaluationTable;
  EvaluationTable table(read_file(file), 4);
  table.keep_first(1);
  write_file(file, table.npz());
  const Examination lost = examine_run(folder / "r");
  expect_finding(lost, kEvaluationTable, Severity::kDamaged, "has 1 evaluations, but had 2 at the checkpoint after");
  EXPECT_FALSE(lost.resume_after);
  write_file(file, "PK");
  expect_finding(examine_run(folder / "r"), kEvaluationTable, Severity::kDamaged, "is not a whole .npz file");
  std::filesystem::remove(file);
  expect_finding(examine_run(folder / "r"), kEvaluationTable, Severity::kDamaged, "is missing");
}

}  // namespace
}  // namespace retropg::test
