#pragma once
// Parts of one record to bytes at their places: brought into the layout of the file, neighbours merged, few
// large writes.

#include <cstdint>
#include <span>
#include <vector>

#include "disk/file_system.h"
#include "files/value_layout.h"
#include "formats/format.h"
#include "formats/kinds/on_disk.h"
#include "time/record.h"

namespace pileus {

/// The parts of one record of a variable, and where it lies in the file.
struct PlacedParts {
  const RecordPlacement& placement;
  const std::vector<Record>& parts;
  const ValueLayout& layout;
  /// In the order of the file: only what lies in it is written. It is one stretch of a record; null: all.
  const Region* slab = nullptr;
};

/// Bytes as they stand in the file.
struct PlacedBytes {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};

/// Writes the parts where their records lie in the file, and `others`; what lies next to each other, of
/// whichever record, is one write of up to `write_bytes`. What has to be converted is, a few MiB at a time.
/// Errors: OutputError of the file system.
void write_parts(PartFile& file, const std::vector<PlacedParts>& records,
                 const std::vector<PlacedBytes>& others = {}, std::size_t write_bytes = OnDisk::kWriteBytes);

}  // namespace pileus
