#include "math/partial_sizes.h"

#include <vector>

#include "math/partials.h"

namespace pileus {
namespace {

template <class Encoded>
std::uint64_t bytes_of(const Encoded& partial) {
  std::vector<std::byte> bytes;
  partial.encode(bytes);
  return bytes.size();
}

/// One second moment, or what has weights: of no values, and of the largest and smallest ones to the last of
/// their bits.
ByteBounds moment_bytes(Reduction reduction, std::uint64_t factor_bytes, const SummedRange& range) {
  const bool is_of_pairs = declaration_of(reduction).takes_pairs;
  const bool is_weighted = declaration_of(reduction).is_weighted;
  Partial least(reduction), most(reduction);
  const double values[] = {range.largest - 0x1p-20, range.smallest + 0x1p-84};
  if (is_weighted) {
    most.add_weighted({values}, {values}, values);
  } else if (is_of_pairs) {
    most.add_pairs({values}, {values});
  } else {
    most.add(std::span<const double>(values));
  }
  // Many of them carry into another limb of 32 bits: of the sum, of the products, of a second sum, or of the
  // weights and the sums of both.
  const std::uint64_t carries = is_weighted ? 4 : is_of_pairs ? 3 : 2;
  return {bytes_of(least) + factor_bytes, bytes_of(most) + factor_bytes + 4 * carries};
}

}  // namespace

ByteBounds encoded_bytes(Reduction reduction, std::uint64_t count, const ExactFactor& factor,
                         const SummedRange& range) {
  Partials none(reduction, 0);
  none.set_factor(factor);
  const std::uint64_t head = bytes_of(none);
  switch (keeps_of(reduction)) {
    case Keeps::count: return {head + 8 * count, head + 8 * count};
    case Keeps::sum: {
      // One count or as many as elements; one part of each or all.
      const std::uint64_t counts = count > 1 ? 8 * (count - 1) : 0;
      return {head + 8 * count, head + counts + 8 * count * SumColumns::kMostParts};
    }
    case Keeps::extreme:
    case Keeps::truth: return {head + 16 * count, head + 16 * count};  // with their counts
    case Keeps::moments:
    case Keeps::weighted: break;
  }
  const ByteBounds one = moment_bytes(reduction, bytes_of(factor) - bytes_of(ExactFactor()), range);
  return {head + count * one.least, head + count * one.most};
}

}  // namespace pileus
