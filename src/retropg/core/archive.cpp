#include "retropg/core/archive.hpp"

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

std::string batch_name(Index number) {
  return "batch " + std::to_string(number);
}

template <typename Values>
void visit(bool saving, std::map<std::string, Values>& entries, const std::string& key, Values& values) {
  if (saving) {
    entries[key] = values;
    return;
  }
  const auto found = entries.find(key);
  require(found != entries.end(), "saved state has no entry '" + key + "'");
  values = found->second;
}

/// A single number travels as a vector of one.
template <typename Number>
void visit_one(Archive& archive, const std::string& name, Number& value) {
  std::vector<Number> one{value};
  archive(name, one);
  require(one.size() == 1, "saved state entry '" + archive.scope() + name + "' should be one number");
  value = one[0];
}

}  // namespace

Archive Archive::saving_from(Index stored) {
  Archive archive(Mode::kSave);
  archive.copies_ = false;
  archive.stored_ = stored;
  return archive;
}

void Archive::operator()(const std::string& name, std::vector<double>& values) {
  visit(saving(), state_.numbers, prefix_ + name, values);
  visited_.insert(prefix_ + name);
}

void Archive::operator()(const std::string& name, std::vector<Index>& counts) {
  visit(saving(), state_.counts, prefix_ + name, counts);
  visited_.insert(prefix_ + name);
}

void Archive::operator()(const std::string& name, double& value) {
  visit_one(*this, name, value);
}

void Archive::operator()(const std::string& name, Index& count) {
  visit_one(*this, name, count);
}

void Archive::save_batch(Index number, std::span<const double> head, std::span<const double> tail) {
  if (batch_count_++ == 0) first_batch_ = number;
  if (number < stored_) return;
  batches_[number] = {head, tail};
  if (!copies_) return;
  std::vector<double>& numbers = state_.batches[number];
  numbers.reserve(head.size() + tail.size());
  numbers.assign(head.begin(), head.end());
  numbers.insert(numbers.end(), tail.begin(), tail.end());
}

std::span<const double> Archive::saved_batch(Index number) {
  const auto found = state_.batches.find(number);
  require(found != state_.batches.end(), "saved state has no " + batch_name(number));
  visited_.insert(batch_name(number));
  return found->second;
}

void Archive::require_all_visited() const {
  const auto check = [this](const std::string& name) {
    require(visited_.contains(name), "saved state holds '" + name + "', which does not belong to this run");
  };
  for (const auto& [name, values] : state_.numbers) check(name);
  for (const auto& [name, values] : state_.counts) check(name);
  for (const auto& [number, values] : state_.batches) check(batch_name(number));
}

}  // namespace retropg
