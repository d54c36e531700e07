#include "output/pack_record.h"

#include <algorithm>
#include <cstring>

#include "core/encoder.h"

namespace pileus {
namespace {

Region common(const Region& a, const Region& b) {
  Region out = a;
  for (std::size_t d = 0; d < a.count.size(); ++d) {
    out.start[d] = std::max(a.start[d], b.start[d]);
    const Index end = std::min(a.start[d] + a.count[d], b.start[d] + b.count[d]);
    out.count[d] = std::max<Index>(0, end - out.start[d]);
  }
  return out;
}

}  // namespace

std::vector<PackedChunk> pack_record(const FileFormat& format, const std::vector<Record>& parts,
                                     const FileForm& form, const std::vector<Index>& extents,
                                     const Compression& compression) {
  const std::size_t element = size_bytes(form.type);
  std::vector<PackedChunk> chunks;
  for (const Region& region : format.packed_regions(extents, form.type)) {
    const RecordPlacement whole{{Block{0, region}}};
    Bytes chunk(static_cast<std::size_t>(region.size()) * element, std::byte{0});
    for (const Record& part : parts) {
      const Region wanted = common(in_file(part.region, form), region);
      if (wanted.size() == 0) continue;
      Bytes dense(static_cast<std::size_t>(wanted.size()) * element);
      convert(part, form, wanted, dense);
      for (const FileRun& run : runs_of(whole, wanted, element)) {
        std::memcpy(chunk.data() + run.file_offset, dense.data() + run.part_offset, run.length);
      }
    }
    chunks.push_back(format.pack(chunk, form.type, compression));
  }
  return chunks;
}

}  // namespace pileus
