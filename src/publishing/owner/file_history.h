#pragma once
// The history says what has been done to a file through the library, as far as its rebuilding needs it. It is
// the part of the file's state that a checkpoint takes from the file itself.

#include <cstdint>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "publishing/owner/file_state.h"

namespace pileus {

/// A record of which a checkpoint is the first to ask what its bytes are.
struct NewSum {
  std::size_t axis = 0, record = 0;
  RecordBytes bytes;
};

struct FileHistory {
  std::vector<std::vector<ChunkLayout>> chunks;  ///< by variable, one after the other
  std::vector<std::vector<std::uint64_t>> ends;  ///< by axis and record: no byte of it lies after that
  std::vector<std::uint64_t> layouts;            ///< after each change
  std::vector<std::vector<RecordBytes>> bytes;   ///< by axis and record

  /// Records never change once all parts of them are written, so each is read once.
  std::vector<NewSum> unsummed(const std::vector<Index>& records) const;
  void add(const std::vector<NewSum>& sums);
};

/// Reads the bytes of these records. Errors: OutputError.
void sum_up(FileSystem& files, const std::string& path, std::vector<NewSum>& sums);

}  // namespace pileus
