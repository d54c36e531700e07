#pragma once
// A file system that passes everything on to that of the operating system: who inherits overrides what
// it changes.

#include <memory>
#include <string>
#include <vector>

#include "disk/file_system.h"

namespace pileus {

class PassingFiles : public FileSystem {
 public:
  std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) override {
    return posix_->open_scratch(directory);
  }
  std::unique_ptr<PartFile> open_parts(const std::string& path) override { return posix_->open_parts(path); }
  std::unique_ptr<SourceFile> open_source(const std::string& path) override {
    return posix_->open_source(path);
  }
  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    posix_->reserve(path, first, length);
  }
  void give_back(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    posix_->give_back(path, first, length);
  }
  void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
    posix_->publish(temporary, final_name, replace);
  }
  void remove(const std::string& path) override { posix_->remove(path); }
  bool exists(const std::string& path) override { return posix_->exists(path); }
  bool bears_positioned_writes(const std::string& directory) override {
    return posix_->bears_positioned_writes(directory);
  }
  void write_pieces(const std::string& path, const GiveBytes& give) override {
    posix_->write_pieces(path, give);
  }
  void append_lines(const std::string& path, std::string_view lines) override {
    posix_->append_lines(path, lines);
  }
  Bytes read_whole(const std::string& path) override { return posix_->read_whole(path); }
  void make_directory(const std::string& path) override { posix_->make_directory(path); }
  void rename_directory(const std::string& path, const std::string& final_name) override {
    posix_->rename_directory(path, final_name);
  }
  std::vector<std::string> list(const std::string& directory) override { return posix_->list(directory); }
  void remove_directory(const std::string& path) override { posix_->remove_directory(path); }
  void sync_directory(const std::string& path) override { posix_->sync_directory(path); }

 private:
  const std::unique_ptr<FileSystem> posix_ = posix_file_system();
};

}  // namespace pileus
