#include "client/extracts.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/missing.h"
#include "core/rounding.h"
#include "math/partials.h"
#include "math/reduced_array.h"

namespace pileus {
namespace {

/// A dense array of an array that has strides, with its memory.
struct DenseCopy {
  std::vector<std::byte> bytes;
  StridedArray array;
};

Index size_of(std::span<const Index> counts) {
  Index size = 1;
  for (const Index count : counts) size *= count;
  return size;
}

DenseCopy dense_copy(const StridedArray& array, ElementType type) {
  DenseCopy copy{std::vector<std::byte>(static_cast<std::size_t>(size_of(array.counts)) * size_bytes(type)),
                 {nullptr, type, array.counts, {}}};
  copy_strided(array, type, copy.bytes.data());
  copy.array.first = copy.bytes.data();
  return copy;
}

/// In bytes, by dimension.
Extents strides_of(const StridedArray& array) {
  if (!array.byte_strides.empty()) return Extents(array.byte_strides.begin(), array.byte_strides.end());
  Extents strides;
  auto stride = static_cast<Index>(size_bytes(array.type));
  for (const Index count : array.counts) {
    strides.push_back(stride);
    stride *= count;
  }
  return strides;
}

// ---- elements ----

/// Doubles of a box in order, rounded and cast, some thousand at a time. Returns where the next ones go.
std::byte* write_rounded(const StridedArray& box, const ExtractDemand& extract, std::vector<double>& block,
                         std::byte* to) {
  constexpr Index kBlock = 4096;
  const Index size = size_of(box.counts);
  if (size <= kBlock) {
    block.resize(static_cast<std::size_t>(size));
    copy_strided(box, ElementType::float64, reinterpret_cast<std::byte*>(block.data()));
    for (const double value : block) {
      const auto rounded = static_cast<float>(rounded_to(value, extract.significant_bits));
      std::memcpy(to, &rounded, sizeof rounded);
      to += sizeof rounded;
    }
    return to;
  }
  // In halves along the slowest dimension that has more than one element.
  std::size_t slowest = box.counts.size() - 1;
  while (box.counts[slowest] == 1) --slowest;
  Extents counts(box.counts.begin(), box.counts.end());
  const Index half = counts[slowest] / 2;
  counts[slowest] = half;
  to = write_rounded({box.first, box.type, {counts.begin(), counts.end()}, box.byte_strides}, extract, block,
                     to);
  counts[slowest] = box.counts[slowest] - half;
  return write_rounded({box.first + half * box.byte_strides[slowest],
                        box.type,
                        {counts.begin(), counts.end()},
                        box.byte_strides},
                       extract, block, to);
}

/// `type`: of the field on the wire, which may be neither that of the array nor that of the extract.
std::uint64_t write_elements(const StridedArray& array, ElementType type, const ExtractDemand& extract,
                             std::byte* to) {
  const Extents counts =
      extract.count.empty() ? Extents(array.counts.begin(), array.counts.end()) : extract.count;
  StridedArray picked{array.first, array.type, {counts.begin(), counts.end()}, {}};
  Extents strides = strides_of(array);
  for (std::size_t d = 0; d < extract.first.size(); ++d) {
    picked.first += extract.first[d] * strides[d];
    if (counts[d] > 1) strides[d] *= extract.step[d];
  }
  picked.byte_strides = {strides.begin(), strides.end()};
  const Index size = size_of(picked.counts);
  if (size == 0) return 0;  // the first one may lie nowhere
  if (extract.significant_bits > 0) {
    std::vector<double> block;
    write_rounded(picked, extract, block, to);
  } else if (array.type != type && extract.type != type) {
    copy_strided(dense_copy(picked, type).array, extract.type, to);
  } else {
    copy_strided(picked, extract.type, to);
  }
  return static_cast<std::uint64_t>(size) * size_bytes(extract.type);
}

// ---- Partials ----

/// Nothing where the loops of sums cannot go over the array as it lies.
std::vector<ReducedAxis> axes_of(const StridedArray& array, const ExtractDemand& extract) {
  const Extents strides = strides_of(array);
  const auto size = static_cast<Index>(size_bytes(array.type));
  std::vector<ReducedAxis> axes;
  Index result_stride = 1;
  for (std::size_t d = 0, kept = 0; d < array.counts.size(); ++d) {
    const bool is_reduced = std::ranges::count(extract.axes, static_cast<std::int32_t>(d)) > 0;
    if (strides[d] % size != 0) return {};
    axes.push_back({array.counts[d], strides[d] / size, is_reduced ? 0 : result_stride});
    if (!is_reduced) result_stride *= extract.extents[kept++];
  }
  return axes;
}

bool can_be_added_up(const StridedArray& array, const std::vector<ReducedAxis>& axes) {
  const auto address = reinterpret_cast<std::uintptr_t>(array.first);
  return array.type != ElementType::boolean && address % size_bytes(array.type) == 0 &&
         (axes.empty() || axes[0].stride == 1);
}

Partials partials_of(const StridedArray& array, const ExtractDemand& extract) {
  std::vector<ReducedAxis> axes = merged(axes_of(array, extract));
  std::vector<Partial> partials(
      static_cast<std::size_t>(size_of({extract.extents.begin(), extract.extents.end()})),
      Partial(extract.reduction));
  Index first = 0, stride = 1;
  for (std::size_t d = 0; d < extract.extents.size(); ++d) {
    first += extract.start[d] * stride;
    stride *= extract.extents[d];
  }
  std::optional<double> missing = extract.missing;
  if (missing) missing = as_stored(*missing, array.type);
  add_array(std::span(partials).subspan(static_cast<std::size_t>(first)), array.type, array.first, axes,
            missing);
  return Partials(extract.reduction, partials);
}

/// `dense`: a dense copy of the array, made where it is needed.
std::uint64_t write_partials(const StridedArray& array, ElementType type, const ExtractDemand& extract,
                             std::optional<DenseCopy>& dense, std::byte* to) {
  const bool lies_well = array.type == type && can_be_added_up(array, merged(axes_of(array, extract)));
  const bool has_odd_strides = axes_of(array, extract).size() != array.counts.size();
  if ((!lies_well || has_odd_strides) && !dense) dense = dense_copy(array, type);
  const Partials partials = partials_of(lies_well && !has_odd_strides ? array : dense->array, extract);
  std::vector<std::byte> bytes;
  partials.encode(bytes);
  assert(bytes.size() <= extract.most_bytes({}));
  std::memcpy(to, bytes.data(), bytes.size());
  return bytes.size();
}

[[noreturn]] void refuse(const FieldDemand& demand) {
  throw TransportError("the servers want something of field \"" + demand.name + "\" that it does not have");
}

void require_elements(const FieldDemand& demand, const ExtractDemand& extract, const Extents& part) {
  if (extract.significant_bits > 0 && extract.type != ElementType::float32) refuse(demand);
  if (extract.count.empty()) return;
  const std::size_t rank = part.size();
  if (extract.first.size() != rank || extract.count.size() != rank || extract.step.size() != rank)
    refuse(demand);
  for (std::size_t d = 0; d < rank; ++d) {
    const Index first = extract.first[d], count = extract.count[d], step = extract.step[d];
    const bool is_inside = first >= 0 && count >= 0 && step >= 1 && count <= part[d] &&
                           (count == 0 || (first < part[d] && (count - 1) <= (part[d] - 1 - first) / step));
    if (!is_inside) refuse(demand);
  }
}

void require_partials(const FieldDemand& demand, const ExtractDemand& extract, const Extents& part) {
  constexpr Index kMost = Index{1} << 32;
  const Keeps keeps = keeps_of(extract.reduction);
  if (keeps == Keeps::moments || keeps == Keeps::weighted || keeps == Keeps::truth) refuse(demand);
  std::size_t kept = 0;
  Index size = 1;
  for (std::size_t d = 0; d < part.size(); ++d) {
    if (std::ranges::count(extract.axes, static_cast<std::int32_t>(d)) > 0) continue;
    if (kept >= extract.extents.size() || kept >= extract.start.size()) refuse(demand);
    const Index start = extract.start[kept], whole = extract.extents[kept++];
    if (start < 0 || whole < 0 || whole > kMost / std::max<Index>(size, 1) || start > whole ||
        part[d] > whole - start)
      refuse(demand);
    size *= whole;
  }
  if (kept != extract.extents.size() || kept != extract.start.size()) refuse(demand);
}

}  // namespace

void require_extracts(const FieldDemand& demand, const Extents& part) {
  for (const ExtractDemand& extract : demand.extracts) {
    if (extract.is_reduced) {
      require_partials(demand, extract, part);
    } else {
      require_elements(demand, extract, part);
    }
    if (!extract.is_reduced && !can_convert(demand.type, extract.type)) refuse(demand);
  }
}

void write_extracts(const StridedArray& array, const FieldDemand& demand, const NeedTracker& needs,
                    std::byte* place) {
  const Extents part(array.counts.begin(), array.counts.end());
  const std::vector<std::uint64_t> offsets = extract_offsets(demand.extracts, part);
  std::vector<ExtractEntry> table(demand.extracts.size());
  std::uint64_t written = table.size() * sizeof(ExtractEntry);
  std::optional<DenseCopy> dense;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ExtractDemand& extract = demand.extracts[i];
    std::memset(place + written, 0, offsets[i] - written);
    written = offsets[i];
    if (!needs.is_any_met(extract.needs)) continue;
    const std::uint64_t size = extract.is_reduced
                                   ? write_partials(array, demand.type, extract, dense, place + written)
                                   : write_elements(array, demand.type, extract, place + written);
    table[i] = {written, size};
    written += size;
  }
  std::memset(place + written, 0, offsets.back() - written);
  std::memcpy(place, table.data(), table.size() * sizeof(ExtractEntry));
}

}  // namespace pileus
