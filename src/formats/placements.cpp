#include "formats/placements.h"

#include <algorithm>

namespace pileus {

RecordPlacement RecordPlacements::operator[](std::size_t i) const {
  const std::size_t record = skipped_ + i;
  const Stretch& stretch = *std::ranges::upper_bound(stretches_, record, {}, &Stretch::end);
  const std::uint64_t distance = (record - stretch.first) * stretch.distance;
  RecordPlacement placement;
  std::size_t next = stretch.offsets;
  for (const Region& region : shapes_[stretch.shape])
    placement.blocks.push_back({offsets_[next++] + distance, region});
  return placement;
}

void RecordPlacements::push_back(const RecordPlacement& record) {
  const std::size_t end = skipped_ + ++size_;
  if (!stretches_.empty() && continues(stretches_.back(), record)) {
    stretches_.back().end = end;
    return;
  }
  stretches_.push_back({end, end - 1, offsets_.size(), 0, shape_of(record)});
  for (const Block& block : record.blocks) offsets_.push_back(block.offset);
}

/// The second record of a stretch says how far apart they are.
bool RecordPlacements::continues(Stretch& last, const RecordPlacement& record) const {
  const std::vector<Region>& regions = shapes_[last.shape];
  if (!std::ranges::equal(regions, record.blocks, {}, {}, &Block::region)) return false;
  if (regions.empty()) return true;
  const std::size_t count = last.end - last.first;
  const std::uint64_t beyond = record.blocks.front().offset - offsets_[last.offsets];
  const std::uint64_t distance = count == 1 ? beyond : last.distance;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (record.blocks[i].offset - offsets_[last.offsets + i] != count * distance) return false;
  }
  last.distance = distance;
  return true;
}

std::uint32_t RecordPlacements::shape_of(const RecordPlacement& record) {
  const bool is_known =
      !shapes_.empty() && std::ranges::equal(shapes_.back(), record.blocks, {}, {}, &Block::region);
  if (!is_known) {
    std::vector<Region>& regions = shapes_.emplace_back();
    for (const Block& block : record.blocks) regions.push_back(block.region);
  }
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

void RecordPlacements::drop_first(std::size_t count) {
  skipped_ += count;
  size_ -= count;
}

std::size_t RecordPlacements::held_bytes() const {
  std::size_t bytes = offsets_.capacity() * sizeof(std::uint64_t) + stretches_.capacity() * sizeof(Stretch);
  for (const std::vector<Region>& regions : shapes_) bytes += regions.capacity() * sizeof(Region);
  return bytes;
}

}  // namespace pileus
