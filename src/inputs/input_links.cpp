#include "inputs/input_links.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace pileus {
namespace {

Index product(const std::vector<Index>& sizes) {
  Index product = 1;
  for (const Index size : sizes) product *= size;
  return product;
}

void append(LinkRows& rows, const LinkRows& more) {
  const std::uint64_t before = rows.source.size();
  for (std::size_t i = 1; i < more.begin.size(); ++i) rows.begin.push_back(before + more.begin[i]);
  rows.source.insert(rows.source.end(), more.source.begin(), more.source.end());
  rows.weight.insert(rows.weight.end(), more.weight.begin(), more.weight.end());
}

/// Some of the rows, one behind the other.
LinkRows rows_of(const LinkRows& all, Index first, Index count) {
  LinkRows some;
  const auto row = static_cast<std::size_t>(first);
  const std::uint64_t begin = all.begin[row], end = all.begin[row + static_cast<std::size_t>(count)];
  for (std::size_t i = 1; i <= static_cast<std::size_t>(count); ++i)
    some.begin.push_back(all.begin[row + i] - begin);
  const auto at = [](auto& of, std::uint64_t place) {
    return of.begin() + static_cast<std::ptrdiff_t>(place);
  };
  some.source.assign(at(all.source, begin), at(all.source, end));
  some.weight.assign(at(all.weight, begin), at(all.weight, end));
  return some;
}

/// The smallest box with all these points.
Region box_of(const std::vector<Index>& points, const std::vector<Index>& sizes) {
  Region box;
  Index below = 1;
  for (const Index size : sizes) {
    Index first = size, last = 0;
    for (const Index point : points) {
      const Index at = point / below % size;
      first = std::min(first, at);
      last = std::max(last, at);
    }
    box.add(points.empty() ? IndexSet(0, 0) : IndexSet(first, last - first + 1));
    below *= size;
  }
  return box;
}

Index position_in(const Region& box, const std::vector<Index>& sizes, Index point) {
  Index position = 0, stride = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    position += (point % sizes[d] - box.start[d]) * stride;
    stride *= box.count[d];
    point /= sizes[d];
  }
  return position;
}

}  // namespace

InputLinks input_links(const std::string& path, const std::vector<Index>& source,
                       const std::vector<Index>& target, const Region& held, const ReadInputLinks& read) {
  InputLinks links;
  const Index sources = product(source), targets = product(target);
  const bool is_empty = held.size() == 0;
  const std::vector<Stretch> stretches =
      is_empty ? std::vector<Stretch>() : contiguous_stretches(held, Extents(target));
  // All at once, as each call goes through all of the file. Files of other sizes are refused by ranks that
  // hold nothing, too.
  const Index first = is_empty ? 0 : stretches.front().global_offset;
  const Index end = is_empty ? 0 : stretches.back().global_offset + stretches.back().length;
  const LinkRows all = read(path, sources, targets, first, end - first);
  if (all.weight.size() != all.source.size()) throw UsageError(path + ": its links have no weights");
  for (const Stretch& stretch : stretches)
    append(links.rows, rows_of(all, stretch.global_offset - first, stretch.length));
  links.box = box_of(links.rows.source, source);
  for (Index& point : links.rows.source) point = position_in(links.box, source, point);
  return links;
}

std::vector<double> regridded(const InputLinks& links, std::span<const double> values, std::size_t layers) {
  const auto points = links.rows.rows();
  const auto box = static_cast<std::size_t>(links.box.size());
  std::vector<double> out(layers * points, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const double* const from = values.data() + layer * box;
    for (std::size_t point = 0; point < points; ++point) {
      if (links.rows.begin[point] == links.rows.begin[point + 1]) continue;
      double sum = 0;
      for (std::uint64_t link = links.rows.begin[point]; link < links.rows.begin[point + 1]; ++link)
        sum += links.rows.weight[link] * from[links.rows.source[link]];
      out[layer * points + point] = sum;
    }
  }
  return out;
}

}  // namespace pileus
