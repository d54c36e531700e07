// The function that bench/gather.py calls. It times a put of a field on points without its messages, which is
// the gathering, and the same by hand.

#include <time.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "client/gather.h"
#include "gather_by_hand.h"

namespace {

using pileus::Index;

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// What the model has and what is wanted of it.
struct Case {
  std::vector<Index> counts;   ///< of its array
  std::vector<Index> indices;  ///< by local element
  pileus::PointDimensions along = 0;
  bool is_float = false;
  pileus::Extents counts_along() const {
    pileus::Extents found;
    for (std::size_t d = 0; d < counts.size(); ++d)
      if ((along >> d & 1) != 0) found.push_back(counts[d]);
    return found;
  }
};

using ByHand = std::function<void(const double*, void*)>;

/// Nanoseconds for each repeat, in turn; false if the two copies differ.
bool time_both(const Case& given, std::size_t bytes, const ByHand& by_hand, int repeats, double* library_ns,
               double* by_hand_ns) {
  const pileus::HeldPoints points =
      pileus::hold_points("", INT64_MAX, given.counts_along(), given.indices.data());
  std::size_t size = 1;
  for (const Index count : given.counts) size *= static_cast<std::size_t>(count);
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = 290 + static_cast<double>(i % 1009) / 97;
  std::vector<std::byte> copy(bytes), other(bytes);
  const pileus::StridedArray array{
      reinterpret_cast<const std::byte*>(values.data()), pileus::ElementType::float64, given.counts, {}};
  const auto type = given.is_float ? pileus::ElementType::float32 : pileus::ElementType::float64;
  for (int i = 0; i < repeats; ++i) {
    const auto gather = [&] {
      const double begin = now_ns();
      pileus::Gathering(array, points, given.along).copy(type, copy.data());
      library_ns[i] = now_ns() - begin;
    };
    if (i % 2 == 0) gather();
    const double begin = now_ns();
    by_hand(values.data(), other.data());
    by_hand_ns[i] = now_ns() - begin;
    if (i % 2 == 1) gather();
  }
  return copy == other;
}

}  // namespace

/// `way`: "blocks by level", "blocks by block", "elements of blocks", "elements", "elements to float" or
/// "columns"; `order`: the local element of each point by rising index, below 2^31. Returns whether both made
/// the same; the times are those of this thread.
extern "C" int bench_gather_ns(const char* way, const std::int32_t* order, std::size_t points,
                               std::size_t levels, int repeats, double* library_ns, double* by_hand_ns) {
  const std::string_view name = way;
  const auto n = static_cast<Index>(points), z = static_cast<Index>(levels);
  const bool has_blocks = name.find("blocks") != name.npos;
  const Index blocks = (n + BLOCK - 1) / BLOCK;
  Case given;
  given.is_float = name == "elements to float";
  given.counts = has_blocks          ? std::vector<Index>{BLOCK, z, blocks}
                 : name == "columns" ? std::vector<Index>{z, n}
                                     : std::vector<Index>{n, z};
  given.along = has_blocks ? 0b101 : name == "columns" ? 0b10 : 0b01;
  given.indices.assign(static_cast<std::size_t>(has_blocks ? blocks * BLOCK : n), -1);
  std::vector<std::int32_t> element(order, order + points);
  for (std::size_t p = 0; p < points; ++p) {
    const auto local = static_cast<std::size_t>(order[p]);
    given.indices[local] = static_cast<Index>(p);
    if (has_blocks) element[p] = static_cast<std::int32_t>(local % BLOCK + local / BLOCK * levels * BLOCK);
  }
  const ByHand by_hand = [&](const double* from, void* to) {
    const auto doubles = static_cast<double*>(to);
    if (name == "blocks by level") return by_hand_blocks_by_level(from, points, levels, doubles);
    if (name == "blocks by block") return by_hand_blocks_by_block(from, points, levels, doubles);
    if (name == "columns") return by_hand_columns(from, order, points, levels, doubles);
    const std::size_t level = has_blocks ? std::size_t{BLOCK} : points;
    if (given.is_float)
      return by_hand_elements_to_float(from, order, points, levels, level, static_cast<float*>(to));
    by_hand_elements(from, element.data(), points, levels, level, doubles);
  };
  const std::size_t bytes = points * levels * (given.is_float ? sizeof(float) : sizeof(double));
  return time_both(given, bytes, by_hand, repeats, library_ns, by_hand_ns) ? 1 : 0;
}
