#include "publishing/chunks/pack_chunk.h"

#include <cstring>

#include "core/encoder.h"

namespace pileus {

PackedChunk pack_chunk(const FileFormat& format, const std::vector<Record>& parts, const ValueLayout& layout,
                       const Region& region, const Compression& compression) {
  const std::size_t element = size_bytes(layout.type);
  const RecordPlacement whole{{Block{0, region}}};
  Bytes chunk(static_cast<std::size_t>(region.size()) * element, std::byte{0});
  for (const Record& part : parts) {
    const Region wanted = common(in_file(part.region, layout), region);
    if (wanted.size() == 0) continue;
    Bytes dense(static_cast<std::size_t>(wanted.size()) * element);
    convert(part, layout, wanted, dense);
    for (const FileStretch& stretch : stretches_of(whole, wanted, element)) {
      std::memcpy(chunk.data() + stretch.file_offset, dense.data() + stretch.part_offset, stretch.length);
    }
  }
  return format.pack(chunk, layout.type, compression);
}

}  // namespace pileus
