#include "publishing/parts/write_parts.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace pileus {
namespace {

/// Stretches below a page are copied together: the system takes about as long for each as for its copy.
constexpr std::size_t kCopiedBytes = 4096;
/// So many bytes are converted at a time, or those of one write if that is more, if a single slice of the
/// slowest dimension is not more than that.
constexpr Index kConvertedBytes = Index{4} << 20;

struct PlacedStretch {
  FileStretch stretch;
  const std::byte* part;
};

/// The stretches that are written together, and the bytes that were converted for them.
struct Stretches {
  std::vector<PlacedStretch> placed;
  std::deque<Bytes> converted;  ///< which the stretches refer to
  std::size_t converted_bytes = 0;
};

/// What lies one behind the other in the file, and goes out as one write. Short stretches are copied
/// together; others stay where they are until then.
class Neighbours {
 public:
  /// Gathered up to `most` bytes; longer stretches go out as they are.
  Neighbours(PartFile& file, std::size_t most) : file_(file), most_(most) {}

  void add(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (offset != offset_ + size_ || size_ + bytes.size() > most_) flush();
    if (size_ == 0) offset_ = offset;
    if (bytes.size() < kCopiedBytes) {
      copy(bytes);
    } else {
      pieces_.push_back(bytes);
    }
    size_ += bytes.size();
  }

  void flush() {
    if (pieces_.size() == 1) {
      file_.write_at(offset_, pieces_.front());
    } else if (size_ > 0) {
      file_.write_pieces_at(offset_, pieces_);
    }
    pieces_.clear();
    copied_.clear();
    size_ = 0;
  }

 private:
  /// Behind what was copied before, it makes that piece longer.
  void copy(std::span<const std::byte> bytes) {
    copied_.reserve(most_);  // so that pieces of it stay where they are
    const std::byte* const place = copied_.data() + copied_.size();
    copied_.insert(copied_.end(), bytes.begin(), bytes.end());
    const bool continues = !pieces_.empty() && pieces_.back().data() + pieces_.back().size() == place;
    const std::size_t before = continues ? pieces_.back().size() : 0;
    if (continues) pieces_.pop_back();
    pieces_.emplace_back(place - before, before + bytes.size());
  }

  PartFile& file_;
  std::size_t most_;
  std::uint64_t offset_ = 0;
  std::size_t size_ = 0;
  std::vector<std::span<const std::byte>> pieces_;
  Bytes copied_;
};

void write_stretches(PartFile& file, std::vector<PlacedStretch> stretches, std::size_t write_bytes) {
  std::ranges::sort(stretches, {}, [](const PlacedStretch& placed) { return placed.stretch.file_offset; });
  Neighbours together(file, write_bytes);
  for (const auto& [stretch, part] : stretches)
    together.add(stretch.file_offset, {part + stretch.part_offset, stretch.length});
  together.flush();
}

/// A band of the slowest dimension of the file: what is written at a time.
struct Band {
  Index start = 0, count = 0;
};

/// How many elements of a part stand before those of `wanted`, which are one stretch of it where they are
/// slices of its slowest dimensions.
Index elements_before(const Region& part, const Region& wanted) {
  Index before = 0, stride = 1;
  for (std::size_t d = 0; d < part.count.size(); ++d) {
    before += (wanted.start[d] - part.start[d]) * stride;
    stride *= part.count[d];
  }
  return before;
}

/// The slice of a region, in the order of the file, that lies in the band.
Region cut(Region region, const Band& band) {
  if (region.rank() == 0) return region;
  const Index end = std::min(region.start.back() + region.count.back(), band.start + band.count);
  region.start.back() = std::max(region.start.back(), band.start);
  region.count.back() = std::max<Index>(0, end - region.start.back());
  return region;
}

class PartsWriting {
 public:
  PartsWriting(const PlacedParts& record, Index converted_bytes)
      : converted_bytes_(converted_bytes),
        placement_(record.placement),
        parts_(record.parts),
        layout_(record.layout),
        element_(size_bytes(record.layout.type)) {
    for (const Record& part : parts_) {
      wholes_.push_back(in_file(part.region, layout_));
      regions_.push_back(record.slab ? common(wholes_.back(), *record.slab) : wholes_.back());
    }
  }

  /// The bands from the first to the last element of any part.
  std::vector<Band> bands() const {
    Index first = INT64_MAX, end = 0, bytes = 0;
    bool is_converted = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Region& region = regions_[i];
      if (region.size() == 0) continue;
      if (region.rank() == 0) return {{0, 1}};
      first = std::min(first, region.start.back());
      end = std::max(end, region.start.back() + region.count.back());
      bytes += region.size() * static_cast<Index>(element_);
      is_converted = is_converted || !has_layout(parts_[i], layout_);
    }
    if (end <= first) return {};
    const Index slice_bytes = std::max<Index>(1, bytes / (end - first));
    const Index thickness = is_converted ? std::max<Index>(1, converted_bytes_ / slice_bytes) : end - first;
    std::vector<Band> out;
    for (Index start = first; start < end; start += thickness) {
      out.push_back({start, std::min(thickness, end - start)});
    }
    return out;
  }

  void add(const Band& band, Stretches& stretches) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Region wanted = cut(regions_[i], band);
      if (wanted.size() == 0) continue;
      const std::byte* bytes = bytes_of(i, wanted, stretches);
      for (const FileStretch& stretch : stretches_of(placement_, wanted, element_))
        stretches.placed.push_back({stretch, bytes});
    }
  }

 private:
  const std::byte* bytes_of(std::size_t i, const Region& wanted, Stretches& stretches) const {
    if (has_layout(parts_[i], layout_)) {
      const Index skipped = elements_before(wholes_[i], wanted);
      return parts_[i].value->bytes.get() + static_cast<std::size_t>(skipped) * element_;
    }
    Bytes& out = stretches.converted.emplace_back(static_cast<std::size_t>(wanted.size()) * element_);
    stretches.converted_bytes += out.size();
    convert(parts_[i], layout_, wanted, out);
    return out.data();
  }

  Index converted_bytes_;
  const RecordPlacement& placement_;
  const std::vector<Record>& parts_;
  const ValueLayout& layout_;
  std::size_t element_;
  std::vector<Region> wholes_;   ///< by part, in the order of the file
  std::vector<Region> regions_;  ///< what of these is written
};

/// Tells whether the only part stands in the file as it does in memory, in one stretch. Most small records
/// do.
bool add_as_it_is(const PlacedParts& record, Stretches& stretches) {
  const auto& [placement, parts, layout, slab] = record;
  const bool is_one = parts.size() == 1 && placement.blocks.size() == 1;
  if (slab || !is_one || !has_layout(parts[0], layout) || parts[0].region != placement.blocks[0].region)
    return false;
  const Array& values = *parts[0].value;
  if (values.size_bytes() > 0)
    stretches.placed.push_back({{placement.blocks[0].offset, 0, values.size_bytes()}, values.bytes.get()});
  return true;
}

}  // namespace

void write_parts(PartFile& file, const std::vector<PlacedParts>& records,
                 const std::vector<PlacedBytes>& others, std::size_t write_bytes) {
  const Index converted = std::max(kConvertedBytes, static_cast<Index>(write_bytes));
  Stretches stretches;
  for (const auto& [offset, bytes] : others)
    if (!bytes.empty()) stretches.placed.push_back({{offset, 0, bytes.size()}, bytes.data()});
  for (const PlacedParts& record : records) {
    if (add_as_it_is(record, stretches)) continue;
    const PartsWriting writing(record, converted);
    for (const Band& band : writing.bands()) {
      writing.add(band, stretches);
      if (stretches.converted_bytes < static_cast<std::size_t>(converted)) continue;
      write_stretches(file, std::move(stretches.placed), write_bytes);
      stretches = {};
    }
  }
  write_stretches(file, std::move(stretches.placed), write_bytes);
}

}  // namespace pileus
