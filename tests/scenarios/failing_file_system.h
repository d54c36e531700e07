#pragma once
// A file system whose n-th call of one kind fails, as a full or a broken disk does.

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "disk/passing_files.h"

namespace pileus::testing {

enum class DiskCall { open_parts, write_at, sync, reserve, publish, write_pieces, rename_directory };

/// All calls come from one thread, as in the simulation.
class FailingFileSystem : public PassingFiles {
 public:
  /// The `number`-th call of the kind fails, from 1; and all later ones of it if `is_for_good`.
  FailingFileSystem(DiskCall call, int number, bool is_for_good)
      : call_(call), number_(number), is_for_good_(is_for_good) {}

  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    fail_if_due(DiskCall::open_parts, path);
    return std::make_unique<FailingPartFile>(*this, path, PassingFiles::open_parts(path));
  }
  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    fail_if_due(DiskCall::reserve, path);
    PassingFiles::reserve(path, first, length);
  }
  void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
    fail_if_due(DiskCall::publish, final_name);
    PassingFiles::publish(temporary, final_name, replace);
  }
  /// Fails half way: behind the first piece of the file.
  void write_pieces(const std::string& path, const GiveBytes& give) override {
    PassingFiles::write_pieces(path, [&](const PutBytes& put) {
      bool has_piece = false;
      give([&](std::span<const std::byte> bytes) {
        put(bytes);
        if (!std::exchange(has_piece, true)) fail_if_due(DiskCall::write_pieces, path);
      });
      if (!has_piece) fail_if_due(DiskCall::write_pieces, path);
    });
  }
  void rename_directory(const std::string& path, const std::string& final_name) override {
    fail_if_due(DiskCall::rename_directory, final_name);
    PassingFiles::rename_directory(path, final_name);
  }
  bool bears_positioned_writes(const std::string&) override { return bears_positioned_writes_; }

  /// Throws in place of an OutputError; it must throw.
  void set_thrown(std::function<void()> thrown) { thrown_ = std::move(thrown); }
  void set_bears_positioned_writes(bool bears) { bears_positioned_writes_ = bears; }
  int failures() const { return failures_; }
  /// The file that failed first, without its folder and the decoration of its temporary name; "" if none did.
  const std::string& failed_path() const { return failed_path_; }

 private:
  class FailingPartFile : public PartFile {
   public:
    FailingPartFile(FailingFileSystem& disk, std::string path, std::unique_ptr<PartFile> file)
        : disk_(disk), path_(std::move(path)), file_(std::move(file)) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      disk_.fail_if_due(DiskCall::write_at, path_);
      file_->write_at(offset, bytes);
    }
    void sync() override {
      disk_.fail_if_due(DiskCall::sync, path_);
      file_->sync();
    }

   private:
    FailingFileSystem& disk_;
    std::string path_;
    std::unique_ptr<PartFile> file_;
  };

  void fail_if_due(DiskCall call, const std::string& path) {
    if (call != call_) return;
    ++calls_;
    if (calls_ < number_ || (calls_ > number_ && !is_for_good_)) return;
    if (failures_++ == 0) failed_path_ = path;
    if (thrown_) thrown_();
    throw OutputError(path + ": could not write it: No space left on device");
  }

  DiskCall call_;
  int number_;
  bool is_for_good_;
  bool bears_positioned_writes_ = true;
  std::function<void()> thrown_;
  int calls_ = 0, failures_ = 0;
  std::string failed_path_;
};

}  // namespace pileus::testing
