#include "publishing/parts/part_log.h"

#include <algorithm>
#include <iterator>

namespace pileus {
namespace {

/// What of a chunk is in the record.
Region cut_to(Region region, const std::vector<Index>& extents) {
  for (std::size_t d = 0; d < extents.size(); ++d)
    region.count[d] = std::min(region.count[d], extents[d] - region.start[d]);
  return region;
}

}  // namespace

std::vector<PartDataset> boxes_here(const Plan& plan, const OwnPieces& own, FileId file) {
  std::vector<PartDataset> boxes;
  for (std::uint32_t v = 0; v < plan[file].variables.size(); ++v) {
    const VariableId id = own.id(file, v);
    if (!is_in_parts(plan, id)) continue;
    std::vector<Index> extents;
    for (const DimensionId dimension : plan[id].dimensions) extents.push_back(plan[dimension].size);
    if (own.is_packed(file, v)) {
      for (const std::uint32_t chunk : own.chunks_here(file, v)) {
        const Region& region = own.chunk_region(file, {v, 0, chunk});
        boxes.push_back({v, chunk, cut_to(region, extents), region.count, {}});
      }
      continue;
    }
    for (const ClientRank client : own.clients(file)) {
      const Region region = in_file(own.region_of(id, client), own.layout(id));
      if (region.size() > 0) boxes.push_back({v, client, region, region.count, {}});
    }
  }
  return boxes;
}

PartLog::PartLog(const Plan& plan, const OwnPieces& own, FilePeriod file, std::string name)
    : own_(own),
      file_(file),
      name_(std::move(name)),
      alignment_(static_cast<std::uint64_t>(plan[file.file].on_disk.alignment())),
      aligned_from_(static_cast<std::uint64_t>(plan[file.file].on_disk.aligned_from())) {
  const std::size_t variables = own.variables(file.file);
  begins_.assign(variables + 1, 0);
  for (std::uint32_t v = 0; v < variables; ++v) is_packed_.push_back(own.is_packed(file.file, v));
  for (PartDataset& dataset : boxes_here(plan, own, file.file)) {
    const std::uint32_t v = dataset.variable;
    const auto element = static_cast<std::uint64_t>(size_bytes(plan[own.id(file.file, v)].type));
    const auto elements = static_cast<std::uint64_t>(Region{{}, dataset.stored}.size());
    for (std::size_t later = v + 1; later <= variables; ++later) ++begins_[later];
    boxes_.push_back({std::move(dataset), own.axis_of(file.file, v), elements * element});
  }
}

std::uint64_t PartLog::allot(std::uint64_t bytes) {
  if (bytes >= aligned_from_) end_ = (end_ + alignment_ - 1) / alignment_ * alignment_;
  const std::uint64_t offset = end_;
  end_ += bytes;
  return offset;
}

std::pair<std::size_t, std::size_t> PartLog::range_of(const Piece& piece) const {
  const std::size_t begin = begins_[piece.variable], end = begins_[piece.variable + 1];
  if (!is_packed_[piece.variable]) return {begin, end};
  const auto first = boxes_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto found =
      std::ranges::lower_bound(first, boxes_.begin() + static_cast<std::ptrdiff_t>(end), piece.chunk, {},
                               [](const Box& box) { return box.dataset.number; });
  const auto at = static_cast<std::size_t>(found - boxes_.begin());
  return {at, at + 1};
}

std::vector<const PartDataset*> PartLog::boxes(const Piece& piece) const {
  std::vector<const PartDataset*> all;
  const auto [begin, end] = range_of(piece);
  for (std::size_t i = begin; i < end; ++i) all.push_back(&boxes_[i].dataset);
  return all;
}

std::uint64_t PartLog::bytes_of(const Piece& piece) const {
  std::uint64_t bytes = 0;
  const auto [begin, end] = range_of(piece);
  for (std::size_t i = begin; i < end; ++i) bytes += boxes_[i].bytes;
  return bytes;
}

std::uint64_t PartLog::bytes_of_box(const PartDataset& box) const {
  const VariableId id = own_.id(file_.file, box.variable);
  return static_cast<std::uint64_t>(Region{{}, box.stored}.size()) * size_bytes(own_.layout(id).type);
}

void PartLog::add(const Piece& piece, std::uint64_t offset, std::uint64_t size_bytes,
                  std::uint32_t skipped_filters) {
  const auto [begin, end] = range_of(piece);
  for (std::size_t i = begin; i < end; ++i) {
    Box& box = boxes_[i];
    const std::uint64_t bytes = is_packed_[piece.variable] ? size_bytes : box.bytes;
    std::vector<PartChunk>& chunks = box.dataset.chunks;
    const auto after = std::ranges::upper_bound(chunks, piece.record, {}, &PartChunk::record);
    chunks.insert(after, {piece.record, offset, bytes, skipped_filters});
    offset += bytes;
  }
}

PartOfFile PartLog::part(const std::vector<Index>& records) const {
  PartOfFile part{name_, {}, records, {}};
  for (std::size_t axis = 0; axis < records.size(); ++axis)
    part.first.push_back(std::min(own_.begun(file_, axis), records[axis]));
  for (const Box& box : boxes_) {
    PartDataset dataset{box.dataset.variable, box.dataset.number, box.dataset.region, box.dataset.stored, {}};
    const Index end = records[box.axis];
    std::ranges::copy_if(box.dataset.chunks, std::back_inserter(dataset.chunks),
                         [end](const PartChunk& chunk) { return chunk.record < end; });
    if (!dataset.chunks.empty()) part.datasets.push_back(std::move(dataset));
  }
  if (part.datasets.empty()) part.name.clear();
  return part;
}

}  // namespace pileus
