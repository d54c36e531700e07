// The functions that bench/regrid.py calls: what a server does for one field that it regrids.

#include <time.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "regrid/add_links.h"

namespace {

using namespace pileus;

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Offsets of so many elements that lie so far apart.
std::vector<Index> apart(std::size_t count, std::size_t step) {
  std::vector<Index> offsets(count);
  for (std::size_t i = 0; i < count; ++i) offsets[i] = static_cast<Index>(i * step);
  return offsets;
}

PlacedLinks links_of(std::size_t rows, const std::int64_t* begin, const std::int32_t* place,
                     const double* weight) {
  const std::size_t links = static_cast<std::size_t>(begin[rows]);
  return {{begin, begin + rows + 1}, {place, place + links}, {weight, weight + links}};
}

}  // namespace

/// The sums alone: `sources` and `out` have the levels of a point together.
extern "C" double bench_sums_ns(std::size_t rows, std::size_t levels, const std::int64_t* begin,
                                const std::int32_t* place, const double* weight, const double* sources,
                                double* out) {
  const PlacedLinks links = links_of(rows, begin, place, weight);
  const std::vector<Index> points = apart(rows, levels), others = apart(levels, 1);
  const double start = now_ns();
  add_links(links, {}, sources, levels, out, {points, others});
  return now_ns() - start;
}

namespace {

/// A model rank's stream: some rows, and the points that they need.
struct Stream {
  PlacedLinks links;
  std::size_t first_row = 0, first_point = 0, points = 0;
};

std::vector<Stream> streams_of(const PlacedLinks& all, std::size_t count) {
  std::vector<Stream> streams(count);
  for (std::size_t s = 0; s < count; ++s) {
    Stream& stream = streams[s];
    stream.first_row = all.rows() * s / count;
    const std::size_t end = all.rows() * (s + 1) / count;
    const std::uint64_t first = all.begin[stream.first_row], last = all.begin[end];
    const auto [low, high] = std::minmax_element(all.place.begin() + static_cast<std::ptrdiff_t>(first),
                                                 all.place.begin() + static_cast<std::ptrdiff_t>(last));
    stream.first_point = *low;
    stream.points = *high + 1 - *low;
    for (std::size_t row = stream.first_row; row < end; ++row)
      stream.links.begin.push_back(all.begin[row + 1] - first);
    for (std::uint64_t i = first; i < last; ++i) stream.links.place.push_back(all.place[i] - *low);
    stream.links.weight.assign(all.weight.begin() + static_cast<std::ptrdiff_t>(first),
                               all.weight.begin() + static_cast<std::ptrdiff_t>(last));
  }
  return streams;
}

}  // namespace

/// All that is done where one server has all of so many ranks: the elements are brought together from a field
/// of floats or doubles whose points lie together, and the sums are written so.
extern "C" double bench_whole_ns(std::size_t rows, std::size_t levels, const std::int64_t* begin,
                                 const std::int32_t* place, const double* weight, std::size_t points,
                                 bool is_float, std::size_t ranks, const void* field, double* out) {
  const std::vector<Stream> streams = streams_of(links_of(rows, begin, place, weight), ranks);
  const std::vector<Index> to_others = apart(levels, rows), from_others = apart(levels, points),
                           in_order = apart(levels, 1);
  const auto* const bytes = static_cast<const std::byte*>(field);
  const double start = now_ns();
  for (const Stream& stream : streams) {
    const auto sources = std::make_unique_for_overwrite<double[]>(stream.points * levels);
    std::array<Index, kPointsAtOnce> source = {}, target = {};
    for (std::size_t first = 0; first < stream.points; first += kPointsAtOnce) {
      const std::size_t count = std::min(kPointsAtOnce, stream.points - first);
      for (std::size_t i = 0; i < count; ++i) {
        source[i] = static_cast<Index>(stream.first_point + first + i);
        target[i] = static_cast<Index>((first + i) * levels);
      }
      copy_as_doubles(is_float ? ElementType::float32 : ElementType::float64, bytes,
                      {std::span(source).first(count), from_others}, sources.get(),
                      {std::span(target).first(count), in_order});
    }
    const std::vector<Index> to = apart(stream.links.rows(), 1);
    add_links(stream.links, {}, sources.get(), levels, out + stream.first_row, {to, to_others});
  }
  return now_ns() - start;
}
