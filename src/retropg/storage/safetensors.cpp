#include "retropg/storage/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

using Json = nlohmann::json;
static_assert(std::endian::native == std::endian::little,
              "the file layout is little-endian and written directly from memory");

constexpr std::size_t kNumber = 8;  // bytes of a double and of a whole number

std::string_view as_bytes(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * kNumber};
}

/// Parses the header and refuses a name that occurs twice, of which the parser alone would take the last.
Json parse_header(std::string_view text) {
  std::vector<std::set<std::string>> names;  // of the open objects
  bool twice = false;
  const Json header = Json::parse(
      text,
      [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) names.emplace_back();
        if (event == Json::parse_event_t::object_end) names.pop_back();
        if (event == Json::parse_event_t::key) twice |= !names.back().insert(parsed.get<std::string>()).second;
        return true;
      },
      false);
  return twice ? Json() : header;
}

/// The number of elements of a shape; more than `most` if it would not fit.
std::uint64_t element_count(const Json& shape, std::uint64_t most) {
  std::uint64_t count = 1;
  for (const Json& extent : shape) {
    if (!extent.is_number_unsigned()) return most + 1;
    const auto size = extent.get<std::uint64_t>();
    if (size > 0 && count > most / size) return most + 1;  // checked at every factor: the product cannot overflow
    count *= size;
  }
  return count;
}

struct Piece {
  std::string name;
  bool whole;  // whole numbers, not doubles
  std::uint64_t first, last;
};

}  // namespace

std::string to_safetensors(const Tensors& tensors) {
  Json header = Json::object();
  header["__metadata__"] = tensors.metadata;
  std::string data;
  const auto add = [&](const std::string& name, const char* type, const auto& numbers) {
    const std::size_t first = data.size();
    data += as_bytes(numbers);
    header[name] = {{"dtype", type}, {"shape", {numbers.size()}}, {"data_offsets", {first, data.size()}}};
  };
  for (const auto& [name, numbers] : tensors.values) add(name, "F64", numbers);
  for (const auto& [name, numbers] : tensors.counts) add(name, "I64", numbers);
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the numbers
  const std::uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes.reserve(bytes.size() + text.size() + data.size());
  return (bytes += text) += data;
}

Tensors parse_safetensors(std::string_view bytes, const std::string& name) {
  const auto check = [&](bool condition, const std::string& what) {
    if (!condition) throw Error(name + ": " + what);
  };
  std::uint64_t length = 0;
  check(bytes.size() >= sizeof(length), "is not a safetensors file");
  std::memcpy(&length, bytes.data(), sizeof(length));
  check(length <= bytes.size() - sizeof(length), "is not a safetensors file");
  const std::string_view data = bytes.substr(sizeof(length) + length);
  const Json header = parse_header(bytes.substr(sizeof(length), length));
  check(header.is_object(), "has a broken safetensors header");

  Tensors result;
  std::vector<Piece> pieces;
  try {
    for (const auto& [key, entry] : header.items()) {
      if (key == "__metadata__") {
        result.metadata = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      const auto type = entry.at("dtype").get<std::string>();
      check(type == "F64" || type == "I64", "tensor '" + key + "' is not of type F64 or I64");
      const Json& offsets = entry.at("data_offsets");
      check(
          offsets.is_array() && offsets.size() == 2 && offsets[0].is_number_integer() && offsets[1].is_number_integer(),
          "has a broken safetensors header");
      check(offsets[0].is_number_unsigned() && offsets[1].is_number_unsigned(),
            "tensor '" + key + "' begins before the file's numbers");
      const auto first = offsets[0].get<std::uint64_t>(), last = offsets[1].get<std::uint64_t>();
      check(first <= last && last <= data.size(), "tensor '" + key + "' extends beyond the file");
      check(entry.at("shape").is_array() && (last - first) % kNumber == 0 &&
                element_count(entry.at("shape"), data.size()) == (last - first) / kNumber,
            "tensor '" + key + "' has a shape that does not match its data");
      pieces.push_back({key, type == "I64", first, last});
    }
  } catch (const Json::exception&) {
    check(false, "has a broken safetensors header");
  }
  std::ranges::sort(pieces, {}, [](const Piece& piece) { return std::pair(piece.first, piece.last); });
  std::uint64_t end = 0;
  for (const Piece& piece : pieces) {
    check(piece.first == end, "tensor '" + piece.name + "' overlaps another or leaves a gap before it");
    end = piece.last;
    const auto copy = [&](auto& numbers) {
      numbers.resize((piece.last - piece.first) / kNumber);
      if (!numbers.empty()) std::memcpy(numbers.data(), data.data() + piece.first, piece.last - piece.first);
    };
    if (piece.whole) {
      copy(result.counts[piece.name]);
    } else {
      copy(result.values[piece.name]);
    }
  }
  check(end == data.size(), "has bytes after its last tensor");
  return result;
}

void write_safetensors(const std::filesystem::path& path, const Tensors& tensors) {
  write_file(path, to_safetensors(tensors));
}

Tensors read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(read_file(path), path.string());
}

}  // namespace retropg
