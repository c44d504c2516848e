#include "retropg/storage/evaluation_table.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "retropg/core/error.hpp"
#include "retropg/storage/little_endian.hpp"
#include "retropg/storage/npz.hpp"

namespace retropg {
namespace {

constexpr const char* kSteps = "timesteps";
constexpr const char* kReturns = "results";
constexpr const char* kLengths = "ep_lengths";

template <typename Number>
std::span<const Number> view(const std::vector<Number>& values) {
  return values;
}

/// Takes the numbers of the next array from the bytes.
template <typename Number>
std::vector<Number> taken(std::string_view& bytes, const char* name, std::size_t count) {
  std::vector<Number> numbers(count);
  bytes.remove_prefix(npz_data_offset(name));
  if (count > 0) std::memcpy(numbers.data(), bytes.data(), count * sizeof(Number));
  bytes.remove_prefix(count * sizeof(Number));
  return numbers;
}

}  // namespace

EvaluationTable::EvaluationTable(std::string_view npz, Index episodes) : episodes_(episodes) {
  // What an archive has besides its numbers depends only on how many digits its shapes have, for which it has room. So
  // its size says how many evaluations there are, and whether it is whole is seen when it is made again.
  const std::size_t row = 8 + as_size(episodes) * 16, empty = EvaluationTable(episodes).npz().size();
  require(npz.size() >= empty && (npz.size() - empty) % row == 0, "is not a whole .npz file of this run's evaluations");
  const std::size_t count = (npz.size() - empty) / row;
  std::string_view left = npz;
  steps_ = taken<std::int64_t>(left, kSteps, count);
  returns_ = taken<double>(left, kReturns, count * as_size(episodes));
  lengths_ = taken<std::int64_t>(left, kLengths, count * as_size(episodes));
  require(this->npz() == npz, "has bytes that are not those of an .npz file of this run's evaluations");
}

void EvaluationTable::add(Index steps, const Evaluation& evaluation) {
  steps_.push_back(steps);
  for (const Outcome& outcome : evaluation.outcomes) {
    returns_.push_back(outcome.value);
    lengths_.push_back(outcome.length);
  }
  returns_.resize(steps_.size() * as_size(episodes_), std::numeric_limits<double>::quiet_NaN());
  lengths_.resize(steps_.size() * as_size(episodes_), 0);
}

void EvaluationTable::keep_first(Index count) {
  steps_.resize(as_size(count));
  returns_.resize(as_size(count * episodes_));
  lengths_.resize(as_size(count * episodes_));
}

std::string EvaluationTable::npz() const {
  const std::array<NpzArray, 3> arrays = {
      NpzArray{.name = kSteps, .shape = {size()}, .data = bytes_of(view(steps_)), .whole = true},
      NpzArray{.name = kReturns, .shape = {size(), episodes_}, .data = bytes_of(view(returns_))},
      NpzArray{.name = kLengths, .shape = {size(), episodes_}, .data = bytes_of(view(lengths_)), .whole = true}};
  return npz_bytes(arrays);
}

}  // namespace retropg
