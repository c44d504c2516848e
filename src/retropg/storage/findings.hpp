#pragma once

#include <string>
#include <vector>

#include "retropg/core/function_ref.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

enum class Severity { kFine, kWarning, kDamaged };
std::string name_of(Severity severity);

/// What was found about one file of a folder, in one line.
struct Finding {
  std::string file;  // relative to the folder
  Severity severity = Severity::kFine;
  std::string text;
};

/// Collects findings about the files of a folder.
class Findings {
 public:
  explicit Findings(Place folder) : folder_(std::move(folder)) {}

  const Place& folder() const { return folder_; }
  const std::vector<Finding>& list() const { return list_; }
  bool has(const std::string& file) const;  // it exists

  void add(const std::string& file, Severity severity, const std::string& text);
  /// Adds damage of a file, or of another one that the message begins with.
  void add_damage(const std::string& file, const std::string& message);
  /// Calls work(); what it throws is damage of the file, and so is that it is missing.
  void attempt(const std::string& file, FunctionRef<void()> work);
  /// A message in which files are named as in the findings.
  std::string relative(std::string message) const;

 private:
  Place folder_;
  std::vector<Finding> list_;
};

}  // namespace retropg
