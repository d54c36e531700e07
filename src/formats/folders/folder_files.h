#pragma once
// A file system for which folders with a table (folder_table.h) are files: they are opened for positioned
// reads and writes, published and removed as files are. For all else it is the one below.

#include <memory>
#include <string>
#include <vector>

#include "disk/file_system.h"

namespace pileus {

class FolderFiles : public FileSystem {
 public:
  /// `below` outlives it.
  explicit FolderFiles(FileSystem& below) : below_(below) {}

  std::unique_ptr<PartFile> open_parts(const std::string& path) override;
  std::unique_ptr<SourceFile> open_source(const std::string& path) override;
  /// A folder takes the place of another at once where the file system can exchange two names; elsewhere
  /// there is none for a moment.
  void publish(const std::string& temporary, const std::string& final_name, bool replace) override;
  void remove(const std::string& path) override;

  std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) override {
    return below_.open_scratch(directory);
  }
  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    below_.reserve(path, first, length);
  }
  void give_back(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    below_.give_back(path, first, length);
  }
  bool exists(const std::string& path) override { return below_.exists(path); }
  bool bears_positioned_writes(const std::string& directory) override {
    return below_.bears_positioned_writes(directory);
  }
  void write_pieces(const std::string& path, const GiveBytes& give) override {
    below_.write_pieces(path, give);
  }
  void append_lines(const std::string& path, std::string_view lines) override {
    below_.append_lines(path, lines);
  }
  Bytes read_whole(const std::string& path) override { return below_.read_whole(path); }
  void make_directory(const std::string& path) override { below_.make_directory(path); }
  void rename_directory(const std::string& path, const std::string& final_name) override {
    below_.rename_directory(path, final_name);
  }
  std::vector<std::string> list(const std::string& directory) override { return below_.list(directory); }
  void remove_directory(const std::string& path) override { below_.remove_directory(path); }
  void sync_directory(const std::string& path) override { below_.sync_directory(path); }

 private:
  FileSystem& below_;
};

}  // namespace pileus
