#include "retropg/core/archive.hpp"

#include <cmath>

#include "retropg/core/error.hpp"

namespace retropg {

void Archive::operator()(const std::string& name, std::vector<double>& values) {
  const std::string key = prefix_ + name;
  if (saving()) {
    entries_[key] = values;
    return;
  }
  const auto found = entries_.find(key);
  require(found != entries_.end(), "saved state has no entry '" + key + "'");
  values = found->second;
}

void Archive::operator()(const std::string& name, double& value) {
  std::vector<double> one{value};
  (*this)(name, one);
  require(one.size() == 1, "saved state entry '" + prefix_ + name + "' should be one number");
  value = one[0];
}

void Archive::operator()(const std::string& name, Index& value) {
  auto number = static_cast<double>(value);
  (*this)(name, number);
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  require(number == std::floor(number) && std::abs(number) <= kLargest,
          "saved state entry '" + prefix_ + name + "' should be a whole number");
  value = static_cast<Index>(number);
}

}  // namespace retropg
