#include "publishing/chunks/pack_chunk.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <variant>

#include "audit/audit.h"
#include "core/rounding.h"
#include "levels/block_means.h"

namespace pileus {
namespace {

/// Elements that there are from the chunk's first on.
std::vector<Index> extents_from(const Region& region, std::vector<Index> extents) {
  for (std::size_t d = 0; d < extents.size(); ++d) extents[d] -= region.start[d];
  return extents;
}

double missing_of(const ValueLayout& layout) {
  const ElementType type = layout.type;
  if (type == ElementType::float32)
    return layout.fill_value ? static_cast<double>(static_cast<float>(*layout.fill_value))
                             : static_cast<double>(std::get<float>(missing_value(type)));
  return layout.fill_value.value_or(std::get<double>(missing_value(type)));
}

/// What stands for no value stays what readers compare with.
template <class Number>
void round_all(Bytes& bytes, Number missing, int bits) {
  for (Number& x : std::span(reinterpret_cast<Number*>(bytes.data()), bytes.size() / sizeof(Number)))
    if (x != missing) x = static_cast<Number>(rounded_to(static_cast<double>(x), bits));
}

/// Lays what the parts hold of the region into the chunk, which is its own.
void lay_together(const std::vector<Record>& parts, const ValueLayout& layout, const Region& region,
                  std::span<std::byte> chunk) {
  const std::size_t element = size_bytes(layout.type);
  const RecordPlacement whole{{Block{0, region}}};
  for (const Record& part : parts) {
    const Region wanted = common(in_file(part.region, layout), region);
    if (wanted.size() == 0) continue;
    Bytes dense(static_cast<std::size_t>(wanted.size()) * element);
    convert(part, layout, wanted, dense);
    for (const FileStretch& stretch : stretches_of(whole, wanted, element)) {
      std::memcpy(chunk.data() + stretch.file_offset, dense.data() + stretch.part_offset, stretch.length);
    }
  }
}

/// In the units of the file, before anything is rounded; NaN where there is no number, or no element.
std::vector<double> as_given(const std::vector<Record>& parts, ValueLayout layout, const Region& region) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  layout.type = ElementType::float64;
  layout.significant_bits = 0;
  layout.step = 0;
  layout.fill_value = kNone;
  std::vector<double> numbers(static_cast<std::size_t>(region.size()), kNone);
  lay_together(parts, layout, region, std::as_writable_bytes(std::span(numbers)));
  return numbers;
}

/// The means of blocks as a part of their own, which has NaN where there is none.
Record means_of(const std::vector<Record>& parts, const ValueLayout& layout, const Region& region,
                const Extents& lengths) {
  const Bytes bytes = bytes_of_chunk(parts, layout, region);
  const auto made = [&]<class T>(T missing) {
    const std::span values(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
    return block_values<T>(values, region.count, lengths, missing);
  };
  auto means = std::make_shared<std::vector<double>>(layout.type == ElementType::float32
                                                         ? made(static_cast<float>(missing_of(layout)))
                                                         : made(missing_of(layout)));
  Record record;
  record.region = {blocks_of_region(region, lengths).start, blocks_of(region.count, lengths)};
  const auto* first = reinterpret_cast<const std::byte*>(means->data());
  record.value =
      Array{ElementType::float64, record.region.count, std::shared_ptr<const std::byte>(means, first)};
  return record;
}

}  // namespace

Bytes bytes_of_chunk(const std::vector<Record>& parts, const ValueLayout& layout, const Region& region) {
  Bytes chunk(static_cast<std::size_t>(region.size()) * size_bytes(layout.type), std::byte{0});
  lay_together(parts, layout, region, chunk);
  return chunk;
}

Difference difference_in_chunk(const Bytes& now, const Bytes& before, const ValueLayout& layout,
                               const Region& region, const std::vector<Index>& extents) {
  return difference_of(now, before, layout.type, region.count, extents_from(region, extents),
                       missing_of(layout));
}

PackedChunk pack_chunk(const FileFormat& format, const std::vector<Record>& parts, const ValueLayout& layout,
                       const Region& region, const Storage& storage, int bits) {
  Bytes bytes = bytes_of_chunk(parts, layout, region);
  if (bits > 0 && layout.type == ElementType::float32)
    round_all(bytes, static_cast<float>(missing_of(layout)), bits);
  else if (bits > 0)
    round_all(bytes, missing_of(layout), bits);
  PackedChunk packed = format.pack(bytes, layout.type, storage.compression);
  if (storage.is_audited) packed.audit = audit_of(as_given(parts, layout, region), bytes, layout.type);
  return packed;
}

PackedChunk pack_blocks(const FileFormat& format, const std::vector<Record>& parts, const ValueLayout& layout,
                        const Region& region, const Extents& lengths, const Extents& extents,
                        const Compression& compression) {
  const std::size_t element = size_bytes(layout.type);
  const Region chunk = blocks_of_region(region, lengths);
  Region there = region;
  for (std::size_t d = 0; d < there.count.size(); ++d)
    there.count[d] = std::min(there.count[d], extents[d] - there.start[d]);
  ValueLayout of_means{layout.type};
  of_means.significant_bits = layout.significant_bits;
  of_means.step = layout.step;
  of_means.fill_value = layout.fill_value;
  of_means.missing_value = std::numeric_limits<double>::quiet_NaN();
  Bytes bytes(static_cast<std::size_t>(chunk.size()) * element, std::byte{0});
  if (there.count.empty()) throw UsageError("a scalar has no coarser level");
  const Index rows = there.count.back(), length = lengths.back();
  const Index row_bytes = there.size() / std::max<Index>(rows, 1) * static_cast<Index>(element);
  const Index at_once = std::max<Index>(1, kBlocksAtOnce / std::max<Index>(row_bytes * length, 1)) * length;
  for (Index row = 0; row < rows; row += at_once) {
    Region some = there;
    some.start.back() += row;
    some.count.back() = std::min(at_once, rows - row);
    lay_together({means_of(parts, layout, some, lengths)}, of_means, chunk, bytes);
  }
  return format.pack(bytes, layout.type, compression);
}

BitPairs pairs_in_chunk(const std::vector<Record>& parts, const ValueLayout& layout, const Region& region,
                        const std::vector<Index>& extents) {
  const std::vector<Index> there = extents_from(region, extents);
  const auto first = std::ranges::find_if(extents, [](Index size) { return size > 1; });
  const std::size_t along = first == extents.end() ? 0 : static_cast<std::size_t>(first - extents.begin());
  return count_pairs(bytes_of_chunk(parts, layout, region), layout.type, region.count, there, along,
                     missing_of(layout));
}

}  // namespace pileus
