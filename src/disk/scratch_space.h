#pragma once
// Bytes that lie in a scratch file instead of in memory: written once, piece by piece, then read as often as
// somebody likes. The file is made by the first write and goes with the last of its bytes.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/byte_source.h"
#include "core/region.h"
#include "disk/file_system.h"

namespace pileus {

/// What is larger, and stays for the whole run, lies in scratch space.
inline constexpr std::uint64_t kMostInMemory = kPieceBytes;

class ScratchBytes : public ByteSource {
 public:
  std::uint64_t size_bytes() const override { return size_bytes_; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override;

  /// May block. REQUIRES: nothing else is written in the space meanwhile, and nobody reads these bytes.
  /// Errors: OutputError, DiskFullError.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Writes stretches of elements of so many bytes, which lie in `dense` as in their region. Where short ones
  /// lie close together, what is between them is read and written with them: a part that is one column wide
  /// would take a write for each of its elements. REQUIRES: as write; all bytes between them are written.
  void write(std::span<const Stretch> stretches, std::span<const std::byte> dense, std::size_t element_size);

 private:
  friend class ScratchSpace;
  struct Space {
    FileSystem& files;
    std::string directory;
    std::unique_ptr<ScratchFile> file = nullptr;  ///< null until the first write
  };
  ScratchBytes(std::shared_ptr<Space> space, std::uint64_t first, std::uint64_t size_bytes)
      : space_(std::move(space)), first_(first), size_bytes_(size_bytes) {}
  void write_together(std::span<const Stretch> stretches, std::span<const std::byte> dense,
                      std::size_t element_size);

  std::shared_ptr<Space> space_;
  std::uint64_t first_, size_bytes_;
};

class ScratchSpace {
 public:
  /// A file in `directory`. `files` outlives the bytes.
  ScratchSpace(FileSystem& files, std::string directory);

  /// So many bytes, which have no values yet. Asks nothing of the disk.
  std::shared_ptr<ScratchBytes> make(std::uint64_t size_bytes);

 private:
  std::shared_ptr<ScratchBytes::Space> space_;
  std::uint64_t used_ = 0;
};

}  // namespace pileus
