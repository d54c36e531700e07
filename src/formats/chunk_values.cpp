#include "formats/chunk_values.h"

#include <algorithm>
#include <span>

namespace pileus {

std::vector<std::byte> values_in(const ByteSource& values, const std::vector<Index>& extents,
                                 const Region& chunk, std::size_t element_size) {
  const Region inside = common(chunk, {Extents(extents.size(), 0), extents});
  const auto bytes = [&](Index elements) { return static_cast<std::size_t>(elements) * element_size; };
  std::vector<std::byte> dense(bytes(inside.size()));
  for (const Stretch& row : contiguous_stretches(inside, extents)) {
    values.read(bytes(row.global_offset),
                std::span(dense).subspan(bytes(row.local_offset), bytes(row.length)));
  }
  if (inside.count == chunk.count) return dense;
  std::vector<std::byte> padded(bytes(chunk.size()));
  const Region in_chunk{Extents(extents.size(), 0), inside.count};
  for (const Stretch& row : contiguous_stretches(in_chunk, chunk.count)) {
    std::copy_n(dense.data() + bytes(row.local_offset), bytes(row.length),
                padded.data() + bytes(row.global_offset));
  }
  return padded;
}

}  // namespace pileus
