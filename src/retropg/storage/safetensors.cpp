#include "retropg/storage/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

using Json = nlohmann::json;
static_assert(std::endian::native == std::endian::little,
              "the file layout is little-endian and written directly from memory");

constexpr std::size_t kNumber = 8;                     // bytes of a double and of a whole number
constexpr std::uint64_t kLongestHeader = 100'000'000;  // the format's own limit
constexpr std::size_t kLongestName = 80;               // in a message
constexpr const char* kBrokenHeader = "has a broken safetensors header";

std::string_view as_bytes(const auto& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * kNumber};
}

/// Follows the header while it is parsed and stops at what no writer produces, before it takes memory: anything but
/// tensors and metadata, a shape of very many dimensions, a name that occurs twice, of which the parser alone would
/// take the last. The header has depth 0, a tensor 1, its shape 2 and an extent 3.
class HeaderGuard {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start: begin(depth <= 1); break;
      case Json::parse_event_t::array_start: begin(depth == 2); break;
      case Json::parse_event_t::key: ++counts_.back(); break;
      case Json::parse_event_t::value:
        require(depth == 2 || (depth == 3 && ++counts_.back() <= kMostDimensions), kBrokenHeader);
        break;
      case Json::parse_event_t::object_end:
        require(parsed.size() == counts_.back(), "has a name twice in its safetensors header");
        counts_.pop_back();
        break;
      case Json::parse_event_t::array_end: counts_.pop_back(); break;
    }
    return true;
  }

 private:
  static constexpr std::size_t kMostDimensions = 64;

  void begin(bool expected) {
    require(expected, kBrokenHeader);
    counts_.push_back(0);
  }

  std::vector<std::size_t> counts_;  // of names in the open objects, and of values in an open shape
};

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

/// Where the numbers of a tensor are among `size` bytes.
Piece piece_of(const std::string& name, const Json& entry, std::uint64_t size) {
  const auto check = [&](bool condition, const char* what) {
    if (!condition) throw Error("tensor '" + one_line(name, kLongestName) + "' " + what);
  };
  const auto type = entry.at("dtype").get<std::string>();
  check(type == "F64" || type == "I64", "is not of type F64 or I64");
  const Json &offsets = entry.at("data_offsets"), &shape = entry.at("shape");
  require(shape.is_array() && offsets.is_array() && offsets.size() == 2 && offsets[0].is_number_integer() &&
              offsets[1].is_number_integer(),
          kBrokenHeader);
  check(offsets[0].is_number_unsigned() && offsets[1].is_number_unsigned(), "begins before the file's numbers");
  const auto first = offsets[0].get<std::uint64_t>(), last = offsets[1].get<std::uint64_t>();
  check(first <= last && last <= size, "extends beyond the file");
  check((last - first) % kNumber == 0 && element_count(shape, size) == (last - first) / kNumber,
        "has a shape that does not match its data");
  return {name, type == "I64", first, last};
}

Tensors parse(std::string_view bytes) {
  std::uint64_t length = 0;
  require(bytes.size() >= sizeof(length), "is not a safetensors file");
  std::memcpy(&length, bytes.data(), sizeof(length));
  require(length <= bytes.size() - sizeof(length) && length <= kLongestHeader, "is not a safetensors file");
  const std::string_view data = bytes.substr(sizeof(length) + length);
  const Json header = Json::parse(bytes.substr(sizeof(length), length), HeaderGuard());
  require(header.is_object(), kBrokenHeader);

  Tensors result;
  std::vector<Piece> pieces;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") {
      result.metadata = entry.get<std::map<std::string, std::string>>();
    } else {
      pieces.push_back(piece_of(key, entry, data.size()));
    }
  }
  std::ranges::sort(pieces, {}, [](const Piece& piece) { return std::pair(piece.first, piece.last); });
  std::uint64_t end = 0;
  for (const Piece& piece : pieces) {
    if (piece.first != end) {
      throw Error("tensor '" + one_line(piece.name, kLongestName) + "' overlaps another or leaves a gap before it");
    }
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
  require(end == data.size(), "has bytes after its last tensor");
  return result;
}

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
  try {
    return parse(bytes);
  } catch (const Json::exception&) {
    throw Error(name + ": " + kBrokenHeader);
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

void write_safetensors(const Place& path, const Tensors& tensors) {
  write_file(path, to_safetensors(tensors));
}

Tensors read_safetensors(const Place& path) {
  return parse_safetensors(read_file(path), path.string());
}

}  // namespace retropg
