#pragma once
// What the library wrote into a file beside the values of records: read, compared, and what changed of it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "disk/file_system.h"

namespace pileus::netcdf {

/// Bytes of a file.
struct Patch {
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes;
  friend bool operator==(const Patch&, const Patch&) = default;
};

/// Where values lie, which are not the library's: the length by the offset. None overlaps another.
using DataRanges = std::map<std::uint64_t, std::uint64_t>;

class FileImage {
 public:
  /// Of a file without bytes.
  FileImage() = default;

  /// All of the file but its data; nothing where that is more than `most_bytes`. Errors: OutputError.
  static std::optional<FileImage> read(SourceFile& file, const DataRanges& data, std::uint64_t most_bytes);

  std::uint64_t size_bytes() const { return size_bytes_; }

  /// What makes a file with the image `before` one with this image, by increasing offset. What is new of a
  /// file is 0 before. REQUIRES: data of `before` are data of this.
  std::vector<Patch> changes_since(const FileImage& before) const;

 private:
  void copy_to(std::uint64_t offset, std::span<std::byte> out) const;

  std::uint64_t size_bytes_ = 0;  ///< of the file
  std::vector<Patch> pieces_;     ///< by increasing offset
};

}  // namespace pileus::netcdf
