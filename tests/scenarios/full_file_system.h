#pragma once
// A disk that fills up, and may have space again: calls that take space are refused for a while.

#include <memory>
#include <string>

#include "core/error.h"
#include "disk/passing_files.h"

namespace pileus::testing {

/// All calls come from one thread, as in the simulation.
class FullFileSystem : public PassingFiles {
 public:
  static constexpr int kForGood = -1;

  /// Refuses so many calls, from the `first`-th call on that takes space, counted from 1. `only`: counts
  /// files whose path contains it.
  FullFileSystem(int first, int refusals, std::string only = "")
      : first_(first), refusals_(refusals), only_(std::move(only)) {}

  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    return std::make_unique<Hand>(*this, path, PassingFiles::open_parts(path));
  }
  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    take_room(path);
    PassingFiles::reserve(path, first, length);
  }
  void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
    take_room(final_name);
    PassingFiles::publish(temporary, final_name, replace);
  }
  bool bears_positioned_writes(const std::string&) override { return bears_positioned_writes_; }

  void set_bears_positioned_writes(bool bears) { bears_positioned_writes_ = bears; }
  /// The disk has space from here on.
  void make_room() { refusals_ = refused_; }
  int refused() const { return refused_; }

 private:
  class Hand : public PartFile {
   public:
    Hand(FullFileSystem& disk, std::string path, std::unique_ptr<PartFile> file)
        : disk_(disk), path_(std::move(path)), file_(std::move(file)) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      disk_.take_room(path_);
      file_->write_at(offset, bytes);
    }
    void sync() override { file_->sync(); }

   private:
    FullFileSystem& disk_;
    std::string path_;
    std::unique_ptr<PartFile> file_;
  };

  void take_room(const std::string& path) {
    if (path.find(only_) == std::string::npos || ++calls_ < first_) return;
    if (refusals_ != kForGood && refused_ >= refusals_) return;
    ++refused_;
    throw DiskFullError(path + ": could not write to it: No space left on device");
  }

  int first_, refusals_;
  std::string only_;
  bool bears_positioned_writes_ = true;
  int calls_ = 0, refused_ = 0;
};

}  // namespace pileus::testing
