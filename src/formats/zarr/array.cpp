#include "formats/zarr/array.h"

#include <algorithm>
#include <bit>

#include "formats/chunk_shape.h"

namespace pileus::zarr {
namespace {

constexpr std::uint64_t kShard = std::uint64_t{64} << 20;  // bytes
constexpr std::uint64_t kSmallRecord = std::uint64_t{64} << 10;

Index power_of_two(std::uint64_t most) {
  return static_cast<Index>(std::bit_floor(std::max<std::uint64_t>(1, most)));
}

}  // namespace

Index records_of_shard(const std::vector<std::uint64_t>& record_bytes, Index block_records) {
  std::uint64_t largest = sizeof(double);
  for (const std::uint64_t bytes : record_bytes) largest = std::max(largest, bytes);
  return std::min(power_of_two(kShard / largest), power_of_two(static_cast<std::uint64_t>(block_records)));
}

std::vector<Region> Array::regions() const { return chunk_regions(extents, {1, chunk}); }

std::size_t Array::chunks_of_record() const {
  std::size_t count = 1;
  for (std::size_t d = 0; d < extents.size(); ++d)
    count *= static_cast<std::size_t>((extents[d] + chunk[d] - 1) / chunk[d]);
  return count;
}

std::uint64_t Array::chunk_bytes() const {
  return static_cast<std::uint64_t>(Region{{}, chunk}.size() * (has_records ? chunk_records : 1)) *
         size_bytes(type);
}

std::string Array::shard_name(Index shard) const {
  std::string text = name + "/c/" + std::to_string(shard);
  for (std::size_t d = 0; d < extents.size(); ++d) text += "/0";
  return text;
}

std::string Array::chunk_name(const Region& region) const {
  std::string text = name + "/c";
  for (std::size_t d = extents.size(); d-- > 0;) text += "/" + std::to_string(region.start[d] / chunk[d]);
  return text;
}

Array record_array(const std::string& name, ElementType type, const std::string& axis,
                   std::vector<std::string> names, std::vector<Index> extents, Index shard_records,
                   const Compression& compression, Index largest_chunk) {
  Array array{name, type, std::move(names), std::move(extents), true, shard_records, 1, {}, compression};
  array.dimension_names.insert(array.dimension_names.begin(), axis);
  array.chunk = packed_shape(array.extents, size_bytes(type), largest_chunk).count;
  const std::uint64_t bytes = static_cast<std::uint64_t>(Region{{}, array.extents}.size()) * size_bytes(type);
  if (!compression.is_packed() && bytes < kSmallRecord)
    array.chunk_records = std::min(shard_records, power_of_two(kSmallRecord / bytes));
  return array;
}

Array static_array(const std::string& name, ElementType type, std::vector<std::string> names,
                   std::vector<Index> extents, const Compression& compression) {
  Array array{name, type, std::move(names), std::move(extents), false, 1, 1, {}, compression};
  array.chunk = packed_shape(array.extents, size_bytes(type), kLargestPacked).count;
  return array;
}

}  // namespace pileus::zarr
