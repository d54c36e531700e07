#pragma once
// A disk in memory for the tests of this room: files are byte vectors, and the n-th write, sync or
// publication of one file can be told to fail. One thread.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "core/error.h"
#include "output/file_system.h"

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
  std::map<std::string, Bytes> files;
  std::vector<Call> writes;

  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    if (!files.contains(path)) throw OutputError(path + ": could not open");
    return std::make_unique<Hand>(*this, path);
  }
  void reserve(const std::string&, std::uint64_t, std::uint64_t) override {}
  void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
    count(publishes_, failing_publish, temporary, "publish");
    if (files.contains(final_name) && !replace) throw OutputError(final_name + ": exists already");
    files[final_name] = files.at(temporary);
    files.erase(temporary);
  }
  void remove(const std::string& path) override { files.erase(path); }
  bool exists(const std::string& path) override { return files.contains(path); }
  bool bears_positioned_writes(const std::string&) override { return true; }

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

  using Counts = std::map<std::string, std::size_t>;
  void count(Counts& counts, const Counts& failing, const std::string& path, const std::string& what) {
    const auto found = failing.find(path);
    if (++counts[path] == (found == failing.end() ? 0 : found->second)) {
      throw OutputError(path + ": could not " + what);
    }
  }

  Counts written_, synced_, publishes_;
};

}  // namespace pileus::testing
