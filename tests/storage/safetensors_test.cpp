#include "retropg/storage/safetensors.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"

namespace retropg::test {
namespace {

using Json = nlohmann::json;

const std::vector<double> kDifficult{0.1,
                                     -0.0,
                                     1e-310,
                                     -1.7976931348623157e308,
                                     std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN(),
                                     3.0};

/// A file with this header and data; the length in front is the header's, or the one given.
std::string file_of(const std::string& header, const std::string& data, std::uint64_t length) {
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  return text + header + data;
}
std::string file_of(const std::string& header, const std::string& data) {
  return file_of(header, data, header.size());
}

/// A tensor's entry in a header.
std::string tensor(const std::string& name, int first, int last, const std::string& type = "F64") {
  return Json(name).dump() + Json({{"dtype", type}, {"shape", {(last - first) / 8}}, {"data_offsets", {first, last}}})
                                 .dump()
                                 .insert(0, ":");
}

std::string bytes_of(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 8};
}

/// Reads a file with this text and expects one line that names the file and the problem.
void expect_refused(const std::string& text, const std::string& problem) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "broken.safetensors";
  write_file(path, text);
  expect_throw([&] { read_safetensors(path); }, path.string() + ": " + problem);
}

TEST(Safetensors, GiveBackEveryBit) {
  const TemporaryFolder folder;
  const Tensors written{
      .metadata = {{"format", "x"}, {"note", "a \"quote\", ümläut\nand line"}, {"empty", ""}},
      .values = {{"difficult", kDifficult}, {"empty", {}}, {"one", {42.0}}, {"with/slash", {1.0, 2.0}}}};
  write_safetensors(folder / "a", written);
  const Tensors read = read_safetensors(folder / "a");
  EXPECT_EQ(read.metadata, written.metadata);
  ASSERT_EQ(read.values.size(), written.values.size());
  for (const auto& [name, values] : written.values) EXPECT_EQ(bits(read.values.at(name)), bits(values)) << name;
}

TEST(Safetensors, MayBeEmpty) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a", {});
  const Tensors read = read_safetensors(folder / "a");
  EXPECT_TRUE(read.metadata.empty());
  EXPECT_TRUE(read.values.empty());
}

TEST(Safetensors, HaveTheLayoutOfTheFormat) {
  // Parsed by hand after the published description: 8 bytes of length, JSON, then the numbers without gaps.
  const TemporaryFolder folder;
  write_safetensors(folder / "a", {.metadata = {{"kind", "k"}}, .values = {{"b", {1.5, -2.0}}, {"a", {0.25}}}});
  const std::string text = read_file(folder / "a");
  std::uint64_t length = 0;
  for (int byte = 7; byte >= 0; --byte)
    length = length * 256 + static_cast<unsigned char>(text.at(static_cast<std::size_t>(byte)));
  ASSERT_LE(8 + length, text.size());
  EXPECT_EQ(length % 8, 0u) << "the numbers are aligned";
  EXPECT_EQ(text[8], '{') << "the header may be padded at its end only";
  const Json header = Json::parse(text.substr(8, length));
  const std::string data = text.substr(8 + length);

  EXPECT_EQ(header.at("__metadata__"), (Json{{"kind", "k"}}));
  ASSERT_EQ(header.size(), 3u);
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const auto& [name, expected] : std::map<std::string, std::vector<double>>{{"a", {0.25}}, {"b", {1.5, -2.0}}}) {
    const Json& entry = header.at(name);
    EXPECT_EQ(entry.size(), 3u);
    EXPECT_EQ(entry.at("dtype"), "F64");
    EXPECT_EQ(entry.at("shape"), (Json{expected.size()}));
    const auto first = entry.at("data_offsets").at(0).get<std::size_t>();
    const auto last = entry.at("data_offsets").at(1).get<std::size_t>();
    ASSERT_EQ(last - first, 8 * expected.size());
    std::vector<double> values(expected.size());
    std::memcpy(values.data(), data.data() + first, last - first);
    EXPECT_EQ(values, expected);
    ranges.emplace_back(first, last);
  }
  std::sort(ranges.begin(), ranges.end());
  EXPECT_EQ(ranges.front().first, 0u);
  EXPECT_EQ(ranges[1].first, ranges[0].second) << "no gap";
  EXPECT_EQ(ranges.back().second, data.size()) << "nothing after the last tensor";
}

TEST(Safetensors, AlignTheirNumbersWhateverTheHeader) {
  const TemporaryFolder folder;
  for (std::size_t letters = 0; letters < 8; ++letters) {
    write_safetensors(folder / "a", {.metadata = {{"k", std::string(letters, 'x')}}, .values = {{"x", {1.0}}}});
    EXPECT_EQ(static_cast<unsigned char>(read_file(folder / "a").at(0)) % 8, 0) << letters;
    EXPECT_EQ(read_safetensors(folder / "a").metadata.at("k").size(), letters);
  }
}

TEST(Safetensors, AreReadFromOtherWriters) {
  // Another order, white space, no metadata, a header length that is no multiple of 8.
  const std::string header = R"( {"x": {"shape": [1], "data_offsets": [8, 16], "dtype": "F64"},
      "y":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
  const std::vector<double> numbers{2.5, -7.0};
  std::string data(16, '\0');
  std::memcpy(data.data(), numbers.data(), 16);
  const TemporaryFolder folder;
  write_file(folder / "a", file_of(header, data));
  const Tensors read = read_safetensors(folder / "a");
  EXPECT_EQ(read.values, (std::map<std::string, std::vector<double>>{{"x", {-7.0}}, {"y", {2.5}}}));
  EXPECT_TRUE(read.metadata.empty());
}

TEST(Safetensors, AreReadAsTheirOwnLibraryWritesThem) {
  // The library sorts by the alignment of the types, then by name, and pads the header with blanks to a multiple of 8.
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"m":{"dtype":"F64","shape":[2,1],"data_offsets":[0,16]},)"
      R"("n":{"dtype":"I64","shape":[],"data_offsets":[16,24]},)"
      R"("a":{"dtype":"F64","shape":[0,3],"data_offsets":[24,24]}} )";
  const std::vector<double> m{0.5, -3.0};
  const std::vector<Index> n{std::numeric_limits<Index>::min()};
  const Tensors read = parse_safetensors(file_of(header, bytes_of(m) + bytes_of(n)), "a");
  EXPECT_EQ(read.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
  EXPECT_EQ(read.values, (std::map<std::string, std::vector<double>>{{"a", {}}, {"m", m}}));
  EXPECT_EQ(read.counts, (std::map<std::string, std::vector<Index>>{{"n", n}}));
}

TEST(Safetensors, GiveBackWholeNumbers) {
  const std::vector<Index> extremes{0, -1, (Index{1} << 53) + 1, std::numeric_limits<Index>::max(),
                                    std::numeric_limits<Index>::min()};
  const Tensors written{.metadata = {}, .values = {{"b", {1.0}}}, .counts = {{"a", extremes}, {"c", {}}}};
  const Tensors read = parse_safetensors(to_safetensors(written), "a");
  EXPECT_EQ(read.values, written.values);
  EXPECT_EQ(read.counts, written.counts);
}

TEST(Safetensors, ReplaceAFileOnlyWhole) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a", {.metadata = {}, .values = {{"x", std::vector<double>(100, 1.0)}}});
  write_safetensors(folder / "a", {.metadata = {}, .values = {{"x", {2.0}}}});
  EXPECT_EQ(read_safetensors(folder / "a").values.at("x"), std::vector{2.0});
  EXPECT_EQ(listing(folder.path()), std::vector<std::string>{"a"}) << "no temporary file stays";
}

TEST(Safetensors, LeaveNothingHalfWritten) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "taken");
  expect_throw<RunError>([&] { write_safetensors(folder / "taken", {}); }, (folder / "taken").string());
  expect_throw<RunError>([&] { write_safetensors(folder / "missing/a", {}); }, "cannot be written");
  EXPECT_EQ(listing(folder.path()), std::vector<std::string>{"taken"});
}

TEST(Safetensors, RefuseFilesThatAreNone) {
  const TemporaryFolder folder;
  expect_throw([&] { read_safetensors(folder / "missing"); },
               "cannot read " + (folder / "missing").string() + ": No such file");
  expect_throw([&] { read_safetensors(folder.path()); }, folder.path().string());
  expect_refused("", "is not a safetensors file");
  expect_refused("short", "is not a safetensors file");
  expect_refused("iteration,trajectories,steps,return_mean\n1,2,3,4\n", "is not a safetensors file");
}

TEST(Safetensors, RefuseAHeaderLongerThanTheFile) {
  const std::string header = "{}";
  for (const std::uint64_t length :
       {std::uint64_t{3}, std::uint64_t{1} << 20, std::uint64_t{1} << 33, std::numeric_limits<std::uint64_t>::max(),
        std::numeric_limits<std::uint64_t>::max() - 7}) {
    expect_refused(file_of(header, "", length), "is not a safetensors file");
  }
}

TEST(Safetensors, RefuseATruncatedFileWhereverItEnds) {
  const TemporaryFolder folder;
  write_safetensors(folder / "whole", {.metadata = {{"k", "v"}}, .values = {{"x", {1.0, 2.0}}, {"y", {3.0}}}});
  const std::string text = read_file(folder / "whole");
  for (std::size_t size = 0; size < text.size(); ++size) {
    write_file(folder / "part", text.substr(0, size));
    expect_throw([&] { read_safetensors(folder / "part"); }, (folder / "part").string());
  }
}

TEST(Safetensors, RefuseABrokenHeader) {
  for (const char* header :
       {"", "garbage!", "{\"x\":", "[1, 2]", "null", "{}}", R"({"x": 5})", R"({"x": {}})",
        R"({"x": {"dtype": "F64", "shape": [1]}})", R"({"x": {"dtype": "F64", "shape": [1], "data_offsets": [0]}})",
        R"({"x": {"dtype": "F64", "shape": [1], "data_offsets": "0-8"}})", R"({"__metadata__": {"k": 5}})",
        R"({"__metadata__": [1]})", "\xff\xfe{}"}) {
    expect_refused(file_of(header, std::string(8, '\0')), "has a broken safetensors header");
  }
}

TEST(Safetensors, RefuseAHeaderThatNestsOrGoesOnForever) {
  const std::string deep = std::string(1'000'000, '['), objects = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += R"({"a":)";
    return text;
  }();
  std::string shape = "1";
  for (int i = 0; i < 100'000; ++i) shape += ",1";
  for (const std::string& header :
       {deep, "{\"x\":" + deep, objects, R"({"x":{"dtype":"F64","data_offsets":[0,8],"shape":)" + deep,
        R"({"x":{"dtype":"F64","data_offsets":[0,8],"shape":[)" + shape + "]}}", "{\"x\":[" + shape + "]}"}) {
    expect_refused(file_of(header, std::string(8, '\0')), "has a broken safetensors header");
  }
}

TEST(Safetensors, RefuseWhatIsNoText) {
  for (const char* name : {"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    expect_refused(file_of(std::string("{\"") + name + R"(":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})",
                           std::string(8, '\0')),
                   "has a broken safetensors header");
  }
}

TEST(Safetensors, QuoteNamesInOneShortLine) {
  const std::string name = "two\nlines" + std::string(100'000, 'x');
  try {
    parse_safetensors(file_of("{" + tensor(name, 0, 8, "F32") + "}", std::string(8, '\0')), "a");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("a: tensor 'two linesxxx")) << error.what();
    EXPECT_LT(std::string(error.what()).size(), 200u);
  }
}

TEST(Safetensors, RefuseANameThatOccursTwice) {
  const std::string twice = "has a name twice in its safetensors header", two(16, '\0');
  expect_refused(file_of("{" + tensor("x", 0, 8) + "," + tensor("x", 8, 16) + "}", two), twice);
  expect_refused(file_of("{" + tensor("x", 0, 8) + "," + tensor("x", 0, 8) + "}", std::string(8, '\0')), twice);
  expect_refused(file_of("{" + tensor("x", 0, 8) + "," + tensor("x", 8, 16, "I64") + "}", two), twice);
  expect_refused(file_of(R"({"__metadata__":{"k":"1","k":"2"}})", ""), twice);
  expect_refused(file_of(R"({"__metadata__":{},"__metadata__":{}})", ""), twice);
  expect_refused(file_of(R"({"x":{"dtype":"F64","dtype":"I64","shape":[1],"data_offsets":[0,8]}})", two), twice);
}

TEST(Safetensors, RefuseBytesThatBelongToNoTensorOrToTwo) {
  const std::string apart = "overlaps another or leaves a gap before it", four(32, '\0');
  expect_refused(file_of("{" + tensor("x", 0, 8) + "}", std::string(9, '\0')), "has bytes after its last tensor");
  expect_refused(file_of("{" + tensor("x", 0, 8) + "}", std::string(16, '\0')), "has bytes after its last tensor");
  expect_refused(file_of("{}", "x"), "has bytes after its last tensor");
  expect_refused(file_of("{" + tensor("x", 8, 32) + "}", four), "tensor 'x' " + apart);
  expect_refused(file_of("{" + tensor("x", 0, 8) + "," + tensor("y", 16, 32) + "}", four), "tensor 'y' " + apart);
  expect_refused(file_of("{" + tensor("x", 0, 24) + "," + tensor("y", 16, 32) + "}", four), "tensor 'y' " + apart);
  expect_refused(file_of("{" + tensor("x", 0, 32) + "," + tensor("y", 8, 16) + "}", four), "tensor 'y' " + apart);
  expect_refused(file_of("{" + tensor("x", 0, 32) + "," + tensor("y", 0, 32) + "}", four), "tensor 'y' " + apart);
  expect_refused(file_of("{" + tensor("x", 0, 32) + "," + tensor("y", 8, 8) + "}", four), "tensor 'y' " + apart);
}

TEST(Safetensors, TakeEmptyTensorsBetweenOthers) {
  const std::string header = "{" + tensor("a", 8, 8) + "," + tensor("b", 0, 0) + "," + tensor("c", 0, 8, "I64") + "," +
                             tensor("d", 8, 16) + "," + tensor("e", 16, 16) + "," + tensor("f", 8, 8) + "}";
  const Tensors read = parse_safetensors(file_of(header, std::string(16, '\0')), "a");
  EXPECT_EQ(read.values.size() + read.counts.size(), 6u);
  EXPECT_EQ(read.counts.at("c"), std::vector<Index>{0});
  EXPECT_EQ(read.values.at("d"), std::vector<double>{0.0});
}

TEST(Safetensors, RefuseOtherTypes) {
  for (const char* type : {"F32", "I32", "U64", "f64", "BOOL", ""}) {
    expect_refused(file_of(std::string(R"({"x": {"dtype": ")") + type + R"(", "shape": [1], "data_offsets": [0, 8]}})",
                           std::string(8, '\0')),
                   "tensor 'x' is not of type F64 or I64");
  }
}

TEST(Safetensors, RefuseOffsetsOutsideTheFile) {
  for (const char* offsets : {"[0, 24]", "[8, 0]", "[16, 24]", "[-8, 0]", "[-16, -8]", "[0, 18446744073709551608]",
                              "[18446744073709551608, 18446744073709551608]", "[0, 4]", "[1, 8]"}) {
    expect_refused(file_of(std::string(R"({"x": {"dtype": "F64", "shape": [1], "data_offsets": )") + offsets + "}}",
                           std::string(16, '\0')),
                   "tensor 'x'");
  }
}

TEST(Safetensors, RefuseAShapeThatIsNotTheData) {
  for (const char* shape : {"[3]", "[1]", "[]", "[0]", "[1, 1]", "[-2]"}) {
    expect_refused(file_of(std::string(R"({"x": {"dtype": "F64", "data_offsets": [0, 16], "shape": )") + shape + "}}",
                           std::string(16, '\0')),
                   "tensor 'x'");
  }
}

TEST(Safetensors, TakeAnyShapeThatIsTheData) {
  const TemporaryFolder folder;
  for (const char* shape : {"[2]", "[1, 2]", "[2, 1, 1]"}) {
    write_file(folder / "a",
               file_of(std::string(R"({"x": {"dtype": "F64", "data_offsets": [0, 16], "shape": )") + shape + "}}",
                       std::string(16, '\0')));
    EXPECT_EQ(read_safetensors(folder / "a").values.at("x").size(), 2u);
  }
}

}  // namespace
}  // namespace retropg::test
