#include "retropg/storage/safetensors.hpp"

#include <bit>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

using Json = nlohmann::json;
static_assert(std::endian::native == std::endian::little,
              "the file layout is little-endian and written directly from memory");

constexpr std::uint64_t kLargestHeader = 100'000'000;

}  // namespace

void write_safetensors(const std::filesystem::path& path, const Tensors& tensors) {
  Json header = Json::object();
  header["__metadata__"] = tensors.metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, values] : tensors.values) {
    const std::uint64_t end = offset + values.size() * sizeof(double);
    header[name] = {{"dtype", "F64"}, {"shape", {values.size()}}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the numbers
  const std::uint64_t length = text.size();

  const std::filesystem::path temporary = path.string() + ".tmp";
  std::ofstream file(temporary, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&length), sizeof(length));
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  for (const auto& [name, values] : tensors.values) {
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(double)));
  }
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::filesystem::remove(temporary, error);
    throw RunError(path.string() + ": cannot be written");
  }
}

Tensors read_safetensors(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const auto fail = [&](const std::string& what) { throw Error(path.string() + ": " + what); };
  if (!file) fail("cannot be read");
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), sizeof(length));
  if (error || !file || length > kLargestHeader || sizeof(length) + length > size) fail("is not a safetensors file");
  std::string text(length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(length));
  const Json header = Json::parse(text, nullptr, false);
  if (!file || !header.is_object()) fail("has a broken safetensors header");

  Tensors result;
  const std::uint64_t data = size - sizeof(length) - length;
  try {
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        result.metadata = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      const auto first = entry.at("data_offsets").at(0).get<std::uint64_t>();
      const auto last = entry.at("data_offsets").at(1).get<std::uint64_t>();
      if (entry.at("dtype") != "F64") fail("tensor '" + name + "' is not of type F64");
      if (first > last || last > data || (last - first) % sizeof(double) != 0) {
        fail("tensor '" + name + "' extends beyond the file");
      }
      std::uint64_t count = 1;
      for (const Json& extent : entry.at("shape")) {
        // Checked at every factor, so that the product cannot overflow; an empty dimension makes an empty tensor.
        if (!extent.is_number_unsigned() || (extent > 0 && count > data / extent.get<std::uint64_t>()))
          count = data + 1;
        if (count <= data) count *= extent.get<std::uint64_t>();
      }
      if (count * sizeof(double) != last - first)
        fail("tensor '" + name + "' has a shape that does not match its data");
      std::vector<double>& values = result.values[name];
      values.resize((last - first) / sizeof(double));
      file.seekg(static_cast<std::streamoff>(sizeof(length) + length + first));
      file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(last - first));
      if (!file) fail("is truncated");
    }
  } catch (const Json::exception&) {
    fail("has a broken safetensors header");
  }
  return result;
}

}  // namespace retropg
