#pragma once
// Small files that one server writes and reads at once, and the folders that they are in: what checkpoints
// ask of the disk. A writer lane calls it and may block there, or a server before its run has begun.
// Errors: OutputError "PATH: could not …: reason of the system".

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"
#include "core/encoder.h"

namespace pileus {

/// A file to read from, anywhere in it; thread-safe. Closed when it goes; until then, it is there without its
/// name too.
class SourceFile {
 public:
  /// Fills `bytes`. Errors: also if the file ends before.
  virtual void read_at(std::uint64_t offset, std::span<std::byte> bytes) = 0;

  virtual std::uint64_t size_bytes() = 0;

  virtual ~SourceFile() = default;
};

/// Puts all bytes of a file, one piece after the other.
using GiveBytes = std::function<void(const PutBytes& put)>;

class WholeFiles {
 public:
  /// Makes the file, or replaces what it holds, with what `give` puts, and syncs it. Its name is on the disk
  /// once its directory is synced. Errors: also those of `give`.
  virtual void write_pieces(const std::string& path, const GiveBytes& give) = 0;
  void write_whole(const std::string& path, std::span<const std::byte> bytes) {
    write_pieces(path, [bytes](const PutBytes& put) { put(bytes); });
  }

  /// Adds whole lines to the end of the file, which it makes if there is none. A line that was cut off there
  /// stays on a line of its own.
  virtual void append_lines(const std::string& path, std::string_view lines) = 0;

  virtual Bytes read_whole(const std::string& path) = 0;

  /// Opens an existing file for positioned reads.
  virtual std::unique_ptr<SourceFile> open_source(const std::string& path) = 0;

  /// One that exists is fine. Its name is on the disk afterwards.
  virtual void make_directory(const std::string& path) = 0;

  /// Gives a directory its final name: syncs the names in it, renames it, syncs the directory that it is in.
  /// Both names are in one directory. Errors: also if `final_name` exists.
  virtual void rename_directory(const std::string& path, const std::string& final_name) = 0;

  /// The names in the directory, ascending. None in one that does not exist.
  virtual std::vector<std::string> list(const std::string& directory) = 0;

  /// With all that is in it. What does not exist is removed already.
  virtual void remove_directory(const std::string& path) = 0;

  /// The names in it are on the disk afterwards.
  virtual void sync_directory(const std::string& path) = 0;

  virtual ~WholeFiles() = default;
};

}  // namespace pileus
