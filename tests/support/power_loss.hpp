#pragma once

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "retropg/storage/file_system.hpp"

namespace retropg::test {

/// Calls that change a disk, as they were made.
namespace disk {
struct Create {  // a file, or a folder, in a folder
  std::string folder, name;
  int node;
};
struct Rename {
  std::string folder, from, to;
  int node;
};
struct Remove {
  std::string folder, name;
};
struct Write {  // at the end of the file
  int node;
  std::string bytes;
};
struct Truncate {
  int node;
  std::size_t size;
};
struct SyncFile {
  int node;
};
struct SyncFolder {
  std::string folder;
};
using Call = std::variant<Create, Rename, Remove, Write, Truncate, SyncFile, SyncFolder>;
}  // namespace disk

/// Does what it is asked to, without syncing, and notes every call below a folder. What is there already counts as
/// written and synced.
class RecordingFileSystem : public FileSystem {
 public:
  explicit RecordingFileSystem(const std::filesystem::path& root) : root_(root.string()) { note_existing(root_); }

  std::vector<disk::Call> calls;

  int open(int in, const char* file_name, int flags) override {
    const int file = FileSystem::open(in, file_name, flags);
    const std::string path = path_of(in, file_name);
    if (file < 0 || !below(path)) return file;
    if (!nodes_.contains(path)) calls.push_back(disk::Create{folder(path), name(path), nodes_[path] = next_++});
    if ((flags & O_TRUNC) != 0) calls.push_back(disk::Truncate{nodes_[path], 0});
    files_[file] = nodes_[path];
    return file;
  }
  std::ptrdiff_t write(int file, const void* bytes, std::size_t count) override {
    if (files_.contains(file)) {
      calls.push_back(disk::Write{files_[file], std::string(static_cast<const char*>(bytes), count)});
    }
    return FileSystem::write(file, bytes, count);
  }
  int sync(int file) override {
    if (!files_.contains(file) && below(path_of(file))) calls.push_back(disk::SyncFolder{path_of(file)});
    return sync_data(file);
  }
  int sync_data(int file) override {
    if (files_.contains(file)) calls.push_back(disk::SyncFile{files_[file]});
    return 0;
  }
  int truncate(int file, std::size_t size) override {
    calls.push_back(disk::Truncate{files_.at(file), size});
    return FileSystem::truncate(file, size);
  }
  int close(int file) override {
    files_.erase(file);
    return FileSystem::close(file);
  }
  int rename(int in, const char* from, const char* to) override {
    const int node = nodes_[path_of(in, to)] = nodes_.at(path_of(in, from));
    nodes_.erase(path_of(in, from));
    calls.push_back(disk::Rename{path_of(in), from, to, node});
    return FileSystem::rename(in, from, to);
  }
  int make_folder(int in, const char* folder_name) override {
    const int result = FileSystem::make_folder(in, folder_name);
    const std::string path = path_of(in, folder_name);
    if (result == 0 && below(path)) calls.push_back(disk::Create{folder(path), name(path), kFolder});
    return result;
  }
  int remove(int in, const char* file_name) override {
    if (nodes_.erase(path_of(in, file_name)) > 0) calls.push_back(disk::Remove{path_of(in), file_name});
    return FileSystem::remove(in, file_name);
  }

  static constexpr int kFolder = -1;

 private:
  void note_existing(const std::string& folder_path) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_path)) {
      const std::string path = entry.path().string();
      if (entry.is_directory()) {
        calls.push_back(disk::Create{folder_path, name(path), kFolder});
        note_existing(path);
        continue;
      }
      std::ifstream file(path, std::ios::binary);
      const int node = nodes_[path] = next_++;
      calls.push_back(disk::Create{folder_path, name(path), node});
      calls.push_back(disk::Write{node, {std::istreambuf_iterator<char>(file), {}}});
      calls.push_back(disk::SyncFile{node});
    }
    calls.push_back(disk::SyncFolder{folder_path});
  }
  /// Where an open folder is.
  static std::string path_of(int folder) {
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(folder)).string();
  }
  static std::string path_of(int folder, const std::string& name) { return path_of(folder) + "/" + name; }
  bool below(const std::string& path) const { return path.starts_with(root_); }
  static std::string folder(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }
  static std::string name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

  std::string root_;
  int next_ = 0;
  std::map<std::string, int> nodes_;  // by path
  std::map<int, int> files_;          // open ones: node by descriptor
};

/// A disk that keeps for certain only what was synced. What was not may be there after a power cut or not, each call
/// for itself, in any combination; a write may be there in part.
class ForgetfulDisk {
 public:
  void apply(const disk::Call& call) {
    if (const auto* sync = std::get_if<disk::SyncFile>(&call)) {
      settle(files_[sync->node].durable, files_[sync->node].pending, [](std::size_t) { return true; });
    } else if (const auto* names = std::get_if<disk::SyncFolder>(&call)) {
      settle(folders_[names->folder].durable, folders_[names->folder].pending, [](std::size_t) { return true; });
    } else if (const auto* write = std::get_if<disk::Write>(&call)) {
      files_[write->node].pending.push_back(call);
    } else if (const auto* cut = std::get_if<disk::Truncate>(&call)) {
      files_[cut->node].pending.push_back(call);
    } else {
      folders_[std::visit([](const auto& c) { return folder_of(c); }, call)].pending.push_back(call);
    }
  }

  /// The folder `root` as it may be found after a power cut now, written to `target`. `luck`: 0 nothing survives that
  /// was not synced, 1 everything does, otherwise a coin decides.
  void after_power_cut(const std::string& root, const std::filesystem::path& target, double luck,
                       std::mt19937_64& random) const {
    const auto survives = [&](std::size_t) { return std::bernoulli_distribution(luck)(random); };
    std::map<std::string, int> names;
    if (const auto found = folders_.find(root); found != folders_.end()) {
      names = found->second.durable;
      auto pending = found->second.pending;
      settle(names, pending, survives);
    }
    std::filesystem::create_directories(target);
    for (const auto& [name, node] : names) {
      if (node == RecordingFileSystem::kFolder) {
        after_power_cut(root + "/" + name, target / name, luck, random);
        continue;
      }
      std::string bytes;
      if (const auto file = files_.find(node); file != files_.end()) {
        bytes = file->second.durable;
        auto pending = file->second.pending;
        settle(bytes, pending, survives, luck > 0.0 && luck < 1.0 ? &random : nullptr);
      }
      std::ofstream(target / name, std::ios::binary) << bytes;
    }
  }

 private:
  using Names = std::map<std::string, int>;
  struct File {
    std::string durable;
    std::vector<disk::Call> pending;
  };
  struct Folder {
    Names durable;
    std::vector<disk::Call> pending;
  };

  template <typename C>
  static std::string folder_of(const C& call) {
    if constexpr (requires { call.folder; }) return call.folder;
    return "";
  }

  template <typename Survives>
  static void settle(Names& names, std::vector<disk::Call>& pending, const Survives& survives) {
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (!survives(i)) continue;
      if (const auto* create = std::get_if<disk::Create>(&pending[i])) names[create->name] = create->node;
      if (const auto* remove = std::get_if<disk::Remove>(&pending[i])) names.erase(remove->name);
      if (const auto* rename = std::get_if<disk::Rename>(&pending[i])) {
        names.erase(rename->from);
        names[rename->to] = rename->node;
      }
    }
    pending.clear();
  }

  /// Writes keep their places even if one before them is lost: zeros are found there.
  template <typename Survives>
  static void settle(std::string& bytes, std::vector<disk::Call>& pending, const Survives& survives,
                     std::mt19937_64* torn = nullptr) {
    std::size_t end = bytes.size();
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (const auto* write = std::get_if<disk::Write>(&pending[i])) {
        std::size_t count = write->bytes.size();
        if (torn != nullptr) count = std::uniform_int_distribution<std::size_t>(0, 2 * count)(*torn);
        if (survives(i)) {
          if (bytes.size() < end) bytes.resize(end, '\0');
          bytes.replace(end, std::string::npos, write->bytes.substr(0, count));
        }
        end += write->bytes.size();
      } else if (const auto* cut = std::get_if<disk::Truncate>(&pending[i])) {
        end = cut->size;
        if (survives(i)) bytes.resize(end, '\0');
      }
    }
    pending.clear();
  }

  std::map<int, File> files_;
  std::map<std::string, Folder> folders_;
};

}  // namespace retropg::test
