#pragma once

#include <map>
#include <string>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// Named numbers that an object saves and restores through one function: `state(archive)` visits every number by name,
/// and the archive either takes them (saving) or gives them back (restoring).
class Archive {
 public:
  enum class Mode { kSave, kRestore };
  explicit Archive(Mode mode) : mode_(mode) {}
  /// Restores from what another archive saved.
  explicit Archive(std::map<std::string, std::vector<double>> entries)
      : mode_(Mode::kRestore), entries_(std::move(entries)) {}

  bool saving() const { return mode_ == Mode::kSave; }
  const std::map<std::string, std::vector<double>>& entries() const { return entries_; }

  /// Visits a vector, a number or a count (up to 2^53) under `prefix` + name.
  void operator()(const std::string& name, std::vector<double>& values);
  void operator()(const std::string& name, double& value);
  void operator()(const std::string& name, Index& value);

  /// Names visited until the next call are prefixed with this ("optimizer/").
  void scope(std::string prefix) { prefix_ = std::move(prefix); }
  const std::string& scope() const { return prefix_; }

 private:
  Mode mode_;
  std::string prefix_;
  std::map<std::string, std::vector<double>> entries_;
};

}  // namespace retropg
