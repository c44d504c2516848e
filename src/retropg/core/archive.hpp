#pragma once

#include <map>
#include <string>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// Named numbers of an object's state. One function serves both directions: `state(archive)` visits every number by
/// name, and the archive either stores it (saving) or overwrites it (restoring).
class Archive {
 public:
  enum class Mode { kSave, kRestore };
  explicit Archive(Mode mode) : mode_(mode) {}
  /// Restores the entries another archive saved.
  explicit Archive(std::map<std::string, std::vector<double>> entries)
      : mode_(Mode::kRestore), entries_(std::move(entries)) {}

  bool saving() const { return mode_ == Mode::kSave; }
  const std::map<std::string, std::vector<double>>& entries() const { return entries_; }

  /// Visits a vector, a number or a count (up to 2^53) under `prefix` + name.
  void operator()(const std::string& name, std::vector<double>& values);
  void operator()(const std::string& name, double& value);
  void operator()(const std::string& name, Index& value);

  /// Prefix of the names visited from now on, for example "optimizer/".
  void scope(std::string prefix) { prefix_ = std::move(prefix); }
  const std::string& scope() const { return prefix_; }

 private:
  Mode mode_;
  std::string prefix_;
  std::map<std::string, std::vector<double>> entries_;
};

}  // namespace retropg
