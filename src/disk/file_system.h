#pragma once
// Everything that the output side asks of the disk, behind one interface, so that tests can put one that
// fails in its place. A writer lane calls it and may block there; workers and the lane that owns MPI never
// do. Errors: OutputError "PATH: could not …: reason of the system"; DiskFullError where it is that there is
// no space, which may be repeated unless it was a sync that failed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "disk/whole_files.h"

namespace pileus {

/// One server's hand on a file that several servers write. Closed when it goes; only sync() promises
/// anything.
class PartFile {
 public:
  virtual void write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;

  /// Writes pieces that lie one behind the other in the file, from `offset` on; without a copy where the file
  /// can take them from where they are.
  virtual void write_pieces_at(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces) {
    std::vector<std::byte> together;
    for (const std::span<const std::byte> piece : pieces)
      together.insert(together.end(), piece.begin(), piece.end());
    write_at(offset, together);
  }

  /// Writes are cut into pieces of at most so many bytes.
  virtual void set_longest_write(std::size_t /*bytes*/) {}

  /// What was written through this hand, or any other on this host, is on the disk afterwards.
  virtual void sync() = 0;

  virtual ~PartFile() = default;
};

/// A file without a name, in which one process lays aside what it reads back itself. Nothing is left of it
/// when it goes, or when its process is killed.
class ScratchFile {
 public:
  virtual void write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;

  /// Fills `bytes`. Errors: also if the file ends before.
  virtual void read_at(std::uint64_t offset, std::span<std::byte> bytes) = 0;

  /// Gives all its space on the disk back.
  virtual void clear() = 0;

  virtual ~ScratchFile() = default;
};

class FileSystem : public WholeFiles {
 public:
  /// Makes a scratch file on the file system of the directory.
  virtual std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) = 0;

  /// Opens an existing file for positioned writes.
  virtual std::unique_ptr<PartFile> open_parts(const std::string& path) = 0;

  /// Makes sure that the disk has space for `length` bytes from `first`, so that a full disk is known before
  /// data are lost to it. The size of the file stays. On a file system that
  /// cannot reserve, it only asks whether there is space now.
  virtual void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) = 0;

  /// Frees the blocks of the disk that lie wholly within `length` bytes from `first`, which read as 0
  /// afterwards. Where the file system cannot, they stay: the bytes of the file are to be 0 already.
  virtual void give_back(const std::string& path, std::uint64_t first, std::uint64_t length) = 0;

  /// Syncs the file, gives it its final name, syncs the directories of both names, which are on
  /// one file system.
  /// Errors: also if `final_name` exists and `replace` is false; the temporary file stays then.
  virtual void publish(const std::string& temporary, const std::string& final_name, bool replace) = 0;

  /// A file that does not exist is removed already.
  virtual void remove(const std::string& path) = 0;

  virtual bool exists(const std::string& path) = 0;

  /// True if several hosts may write neighbouring bytes of one file there. NFS, which writes whole pages over
  /// its neighbours, and what is not known do not bear it.
  virtual bool bears_positioned_writes(const std::string& directory) = 0;

  virtual ~FileSystem() = default;
};

/// The one of the operating system.
std::unique_ptr<FileSystem> posix_file_system();

}  // namespace pileus
