#pragma once

#include <concepts>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// An open file or folder, which is closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }  // otherwise errno says why not

 private:
  int number_;
};

/// What stands in a place.
struct Standing {
  bool is_file = false, is_folder = false;  // neither: a link, a pipe, a device
  Index bytes = 0;
  Index names = 1;  // more than 1: a file with hard links
};

/// The name of a file or folder. The path that a place is made of is the user's, who may put links into it. What `/`
/// adds lies inside that folder, which somebody else may have made: there, no link is followed and nothing leads out.
/// From the first use on, the folder is the one that was found then, also if it is moved.
class Place {
 public:
  Place() : Place(std::filesystem::path()) {}
  template <std::convertible_to<std::filesystem::path> Path>
  Place(const Path& path) : root_(root_of(path)) {}

  Place operator/(const std::filesystem::path& inside) const;
  /// In the same folder, with an ending after the name.
  Place with(const std::string& ending) const;
  /// Holds this folder from now on, as if it were the user's path. Throws Error if there is no such folder.
  Place opened() const;

  /// For messages: it may lead elsewhere by now.
  std::filesystem::path path() const;
  std::string string() const { return path().string(); }
  std::string filename() const { return path().filename().string(); }
  std::string extension() const { return path().extension().string(); }
  std::string stem() const { return path().stem().string(); }

  /// The open folder of a place, and its name there: what calls like openat take.
  struct Entry {
    std::shared_ptr<const Descriptor> folder;  // null if it cannot be opened; errno says why
    std::string name;
    int number() const { return folder == nullptr ? -1 : folder->number(); }
  };
  Entry entry() const;
  /// Opened for reading, without waiting for the writer of a pipe.
  Descriptor open() const;
  Descriptor open_folder() const;
  /// What is there; unset if nothing is. A link inside the folder is a link; one that is the user's path counts as what
  /// it leads to, unless `of_link`.
  std::optional<Standing> status(bool of_link = false) const;

 private:
  class Root;
  static std::shared_ptr<Root> root_of(const std::filesystem::path& path);

  std::shared_ptr<Root> root_;
  std::filesystem::path inside_;
};

// None of these throws.

/// Whether there is something of that name, also a link that leads nowhere.
bool is_there(const Place& place);
bool is_folder(const Place& place);
bool is_plain_file(const Place& place);

/// The names in a folder, sorted; none if it is not there or, with the reason in `error`, if it cannot be read.
std::vector<std::string> names_in(const Place& folder, std::error_code& error);
std::vector<std::string> names_in(const Place& folder);

}  // namespace retropg
