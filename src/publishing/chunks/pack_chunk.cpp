#include "publishing/chunks/pack_chunk.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <variant>

#include "core/rounding.h"

namespace pileus {
namespace {

Bytes bytes_of(const std::vector<Record>& parts, const ValueLayout& layout, const Region& region) {
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
  return chunk;
}

/// What stands for no value stays what readers compare with.
template <class Number>
void round_all(Bytes& bytes, Number missing, int bits) {
  for (Number& x : std::span(reinterpret_cast<Number*>(bytes.data()), bytes.size() / sizeof(Number)))
    if (x != missing) x = static_cast<Number>(rounded_to(static_cast<double>(x), bits));
}

}  // namespace

PackedChunk pack_chunk(const FileFormat& format, const std::vector<Record>& parts, const ValueLayout& layout,
                       const Region& region, const Compression& compression) {
  return format.pack(bytes_of(parts, layout, region), layout.type, compression);
}

PackedChunk pack_rounded(const FileFormat& format, const std::vector<Record>& parts,
                         const ValueLayout& layout, const Region& region, const Compression& compression,
                         int bits) {
  Bytes bytes = bytes_of(parts, layout, region);
  if (bits > 0 && layout.type == ElementType::float32)
    round_all(bytes, std::get<float>(missing_value(layout.type)), bits);
  else if (bits > 0)
    round_all(bytes, std::get<double>(missing_value(layout.type)), bits);
  return format.pack(bytes, layout.type, compression);
}

BitPairs pairs_in_chunk(const std::vector<Record>& parts, const ValueLayout& layout, const Region& region,
                        const std::vector<Index>& extents) {
  std::vector<Index> there = extents;
  for (std::size_t d = 0; d < there.size(); ++d) there[d] -= region.start[d];
  const auto first = std::ranges::find_if(extents, [](Index size) { return size > 1; });
  const std::size_t along = first == extents.end() ? 0 : static_cast<std::size_t>(first - extents.begin());
  const double missing = layout.type == ElementType::float32
                             ? static_cast<double>(std::get<float>(missing_value(layout.type)))
                             : std::get<double>(missing_value(layout.type));
  return count_pairs(bytes_of(parts, layout, region), layout.type, region.count, there, along, missing);
}

}  // namespace pileus
