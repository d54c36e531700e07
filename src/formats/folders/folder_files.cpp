#include "formats/folders/folder_files.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>

#include "core/error.h"
#include "formats/folders/folder_table.h"

namespace pileus {
namespace {

using folders::FolderTable;
using folders::Piece;

/// Files of one folder that are open at a time.
constexpr std::size_t kMostOpen = 32;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(std::filesystem::symlink_status(path, ignored));
}

FolderTable read_table(FileSystem& files, const std::string& folder) {
  const std::string path = folders::table_of(files, folder);
  if (path.empty())
    throw OutputError(folder + ": could not open it: it is a folder without a table of its pieces");
  const Bytes bytes = files.read_whole(path);
  return FolderTable::read(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

[[noreturn]] void fail_beyond(const std::string& folder, std::uint64_t first, std::uint64_t length) {
  throw OutputError(folder + ": has no bytes from " + std::to_string(first) + " to " +
                    std::to_string(first + length));
}

class FolderParts : public PartFile {
 public:
  FolderParts(FileSystem& files, std::string folder)
      : files_(files), folder_(std::move(folder)), table_(read_table(files, folder_)) {}

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    write_pieces_at(offset, std::span(&bytes, 1));
  }

  void write_pieces_at(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces) override {
    for (const std::span<const std::byte> bytes : pieces) {
      if (offset + bytes.size() > table_.end()) table_ = read_table(files_, folder_);
      bool is_there = true;
      const std::uint64_t done =
          table_.for_each(offset, bytes.size(), [&](const Piece* piece, auto at, auto from, auto count) {
            is_there = is_there && piece != nullptr;
            if (is_there) part(piece->name).write_at(at, bytes.subspan(from, count));
          });
      if (!is_there || done < bytes.size()) fail_beyond(folder_, offset, bytes.size());
      offset += bytes.size();
    }
  }

  void sync() override {
    table_ = read_table(files_, folder_);
    std::set<std::string> directories;
    std::set<std::string> names;
    for (const Piece& piece : table_.pieces()) names.insert(piece.name);
    for (const std::string& name : names) {
      files_.open_parts(folder_ + "/" + name)->sync();
      for (std::size_t slash = name.rfind('/'); slash != name.npos;
           slash = slash == 0 ? name.npos : name.rfind('/', slash - 1))
        directories.insert(name.substr(0, slash));
    }
    for (const std::string& directory : directories) files_.sync_directory(folder_ + "/" + directory);
    files_.open_parts(folders::table_of(files_, folder_))->sync();
    files_.sync_directory(folder_);
  }

 private:
  PartFile& part(const std::string& name) {
    const auto found = open_.find(name);
    if (found != open_.end()) return *found->second;
    if (open_.size() >= kMostOpen) open_.clear();
    return *(open_[name] = files_.open_parts(folder_ + "/" + name));
  }

  FileSystem& files_;
  std::string folder_;
  FolderTable table_;
  std::map<std::string, std::unique_ptr<PartFile>> open_;
};

class FolderSource : public SourceFile {
 public:
  FolderSource(FileSystem& files, std::string folder)
      : files_(files), folder_(std::move(folder)), table_(read_table(files, folder_)) {}

  void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    const std::uint64_t done =
        table_.for_each(offset, bytes.size(), [&](const Piece* piece, auto at, auto from, auto count) {
          const auto part = bytes.subspan(from, count);
          if (piece != nullptr) {
            source(piece->name)->read_at(at, part);
          } else {
            std::ranges::fill(part, std::byte{0});
          }
        });
    if (done < bytes.size()) fail_beyond(folder_, offset, bytes.size());
  }

  std::uint64_t size_bytes() override { return table_.end(); }

 private:
  std::shared_ptr<SourceFile> source(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(name);
    if (found != open_.end()) return found->second;
    if (open_.size() >= kMostOpen) open_.clear();
    return open_[name] = files_.open_source(folder_ + "/" + name);
  }

  FileSystem& files_;
  std::string folder_;
  FolderTable table_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<SourceFile>> open_;
};

/// False where the file system cannot.
bool exchange(const std::string& one, const std::string& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

std::unique_ptr<PartFile> FolderFiles::open_parts(const std::string& path) {
  if (is_folder(path)) return std::make_unique<FolderParts>(below_, path);
  return below_.open_parts(path);
}

std::unique_ptr<SourceFile> FolderFiles::open_source(const std::string& path) {
  if (is_folder(path)) return std::make_unique<FolderSource>(below_, path);
  return below_.open_source(path);
}

void FolderFiles::publish(const std::string& temporary, const std::string& final_name, bool replace) {
  if (!is_folder(temporary)) return below_.publish(temporary, final_name, replace);
  FolderParts(below_, temporary).sync();
  if (!replace || !below_.exists(final_name)) {
    below_.rename_directory(temporary, final_name);
  } else if (exchange(temporary, final_name)) {
    below_.sync_directory(directory_of(final_name));
    remove(temporary);
  } else {
    const std::string aside = temporary + ".before";
    below_.rename_directory(final_name, aside);
    below_.rename_directory(temporary, final_name);
    remove(aside);
  }
  if (directory_of(temporary) != directory_of(final_name)) below_.sync_directory(directory_of(temporary));
}

void FolderFiles::remove(const std::string& path) {
  if (is_folder(path)) return below_.remove_directory(path);
  below_.remove(path);
}

}  // namespace pileus
