#pragma once
// A disk in memory for the tests of this room: files are byte vectors, and the n-th write, sync or
// publication of one file can be told to fail. One thread.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/encoder.h"
#include "core/error.h"
#include "disk/file_system.h"

namespace pileus::testing {

class MemoryFiles : public FileSystem {
 public:
  struct Call {
    std::string path;
    std::uint64_t offset = 0;
    std::size_t length = 0;
    friend bool operator==(const Call&, const Call&) = default;
  };
  /// By path: which call fails, counted from 1. 0 for none.
  std::map<std::string, std::size_t> failing_write, failing_sync, failing_publish;
  std::set<std::string> full;  ///< paths to which nothing can be written for want of space
  std::map<std::string, Bytes> files;
  std::set<std::string> directories;
  std::vector<Call> writes;

  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    if (!files.contains(path)) throw OutputError(path + ": could not open");
    return std::make_unique<Hand>(*this, path);
  }
  std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) override {
    return std::make_unique<Scratch>(*this, directory);
  }
  std::unique_ptr<SourceFile> open_source(const std::string& path) override {
    if (!files.contains(path)) throw OutputError(path + ": could not open");
    return std::make_unique<Source>(path, files.at(path));
  }
  void reserve(const std::string&, std::uint64_t, std::uint64_t) override {}
  void give_back(const std::string&, std::uint64_t, std::uint64_t) override {}
  void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
    count(publishes_, failing_publish, temporary, "publish");
    if (files.contains(final_name) && !replace) throw OutputError(final_name + ": exists already");
    files[final_name] = files.at(temporary);
    files.erase(temporary);
  }
  void remove(const std::string& path) override { files.erase(path); }
  bool exists(const std::string& path) override { return files.contains(path); }
  bool bears_positioned_writes(const std::string&) override { return true; }

  void write_pieces(const std::string& path, const GiveBytes& give) override {
    count(written_, failing_write, path, "write");
    count(synced_, failing_sync, path, "sync");
    Bytes all;
    give([&](std::span<const std::byte> bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); });
    files[path] = std::move(all);
  }
  void append_lines(const std::string& path, std::string_view lines) override {
    count(written_, failing_write, path, "write");
    const auto bytes = std::as_bytes(std::span(lines));
    files[path].insert(files[path].end(), bytes.begin(), bytes.end());
  }
  Bytes read_whole(const std::string& path) override {
    if (!files.contains(path)) throw OutputError(path + ": could not open");
    return files.at(path);
  }
  void make_directory(const std::string& path) override { directories.insert(path); }
  void rename_directory(const std::string& path, const std::string& final_name) override {
    count(publishes_, failing_publish, path, "rename");
    if (!directories.contains(path)) throw OutputError(path + ": could not rename it");
    if (directories.contains(final_name)) throw OutputError(final_name + ": exists already");
    directories.erase(path);
    directories.insert(final_name);
    std::map<std::string, Bytes> moved;
    for (auto& [name, bytes] : files) {
      const bool is_inside = name.starts_with(path + "/");
      moved[is_inside ? final_name + name.substr(path.size()) : name] = std::move(bytes);
    }
    files = std::move(moved);
  }
  std::vector<std::string> list(const std::string& directory) override {
    std::set<std::string> inside;
    const auto add = [&](const std::string& path) {
      if (!path.starts_with(directory + "/")) return;
      const std::string rest = path.substr(directory.size() + 1);
      inside.insert(rest.substr(0, rest.find('/')));
    };
    for (const auto& [name, bytes] : files) add(name);
    for (const std::string& name : directories) add(name);
    return {inside.begin(), inside.end()};
  }
  void remove_directory(const std::string& path) override {
    std::erase_if(files, [&](const auto& file) { return file.first.starts_with(path + "/"); });
    std::erase_if(directories,
                  [&](const auto& name) { return name == path || name.starts_with(path + "/"); });
  }
  void sync_directory(const std::string&) override {}

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : files) names.push_back(name);
    return names;
  }

 private:
  class Hand : public PartFile {
   public:
    Hand(MemoryFiles& disk, std::string path) : disk_(disk), path_(std::move(path)) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      disk_.count(disk_.written_, disk_.failing_write, path_, "write");
      disk_.writes.push_back({path_, offset, bytes.size()});
      Bytes& file = disk_.files[path_];
      file.resize(std::max<std::size_t>(file.size(), offset + bytes.size()));
      std::ranges::copy(bytes, file.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    void sync() override { disk_.count(disk_.synced_, disk_.failing_sync, path_, "sync"); }

   private:
    MemoryFiles& disk_;
    std::string path_;
  };

  class Source : public SourceFile {
   public:
    Source(std::string path, Bytes bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
      if (offset + bytes.size() > bytes_.size()) throw OutputError(path_ + ": could not read it: it ends");
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
    }
    std::uint64_t size_bytes() override { return bytes_.size(); }

   private:
    std::string path_;
    const Bytes bytes_;  ///< there without its name too
  };

  /// Its writes are counted by the directory.
  class Scratch : public ScratchFile {
   public:
    Scratch(MemoryFiles& disk, std::string directory) : disk_(disk), directory_(std::move(directory)) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      disk_.count(disk_.written_, disk_.failing_write, directory_, "write");
      disk_.writes.push_back({directory_, offset, bytes.size()});
      bytes_.resize(std::max<std::size_t>(bytes_.size(), offset + bytes.size()));
      std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
      Source(directory_, bytes_).read_at(offset, bytes);
    }
    void clear() override { bytes_.clear(); }

   private:
    MemoryFiles& disk_;
    std::string directory_;
    Bytes bytes_;
  };

  using Counts = std::map<std::string, std::size_t>;
  void count(Counts& counts, const Counts& failing, const std::string& path, const std::string& what) {
    const auto found = failing.find(path);
    if (&counts == &written_ && full.contains(path)) throw DiskFullError(path + ": is full");
    if (++counts[path] == (found == failing.end() ? 0 : found->second)) {
      throw OutputError(path + ": could not " + what);
    }
  }

  Counts written_, synced_, publishes_;
};

}  // namespace pileus::testing
