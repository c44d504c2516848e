#include "retropg/storage/tensorboard_records.hpp"

#include <gtest/gtest.h>

#include "retropg/storage/crc.hpp"

namespace retropg::test {
namespace {

TEST(Crc, HasTheKnownAnswers) {  // of the catalog of parametrized algorithms, for "123456789"
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);  // RFC 3720, B.4
}

TEST(TensorboardRecords, AreFramedAsTensorboardReadsThem) {
  std::string bytes = "before";
  append_record(bytes, "abc");
  EXPECT_EQ(bytes, std::string("before\x03\0\0\0\0\0\0\0\xb0\x99\x49\x0e"
                               "abc\x6e\x57\xf1\x21",
                               25));
}

TEST(TensorboardRecords, AreCountedUpToTheFirstProblem) {
  std::string one, two;
  append_record(one, "one");
  append_record(two, std::string(1000, 'x'));
  const std::string both = one + two;
  EXPECT_EQ(examine_records("").count, 0);
  EXPECT_EQ(examine_records(both).count, 2);
  EXPECT_EQ(examine_records(both).problem, "");
  for (std::size_t size = 0; size < both.size(); ++size) {
    const RecordsFound found = examine_records(both.substr(0, size));
    EXPECT_EQ(found.count, size < one.size() ? 0 : 1);
    EXPECT_EQ(found.torn, size != 0 && size != one.size()) << size;
    EXPECT_EQ(found.problem.empty(), !found.torn);
  }
  for (std::size_t at = 0; at < both.size(); ++at) {
    std::string flipped = both;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    const RecordsFound found = examine_records(flipped);
    EXPECT_EQ(found.count, at < one.size() ? 0 : 1);
    EXPECT_FALSE(found.problem.empty() || found.torn) << at;
  }
}

}  // namespace
}  // namespace retropg::test
