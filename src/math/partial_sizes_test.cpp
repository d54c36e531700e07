#include "math/partial_sizes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "math/partials.h"

namespace pileus {
namespace {

constexpr SummedRange kRange = {0x1p-32, 0x1p32};

/// Partials of some values within the range, and of none.
Partial some(Reduction reduction, std::mt19937_64& random) {
  Partial partial(reduction);
  for (std::uint64_t left = random() % 40; left > 0; --left) {
    const double value =
        std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 64) - 32);
    const std::span<const double> one(&value, 1);
    if (declaration_of(reduction).is_weighted) {
      partial.add_weighted({one}, {one}, one);
    } else {
      declaration_of(reduction).takes_pairs ? partial.add_pairs({one}, {one}) : partial.add(one);
    }
  }
  return partial;
}

TEST(PartialSizes, bound_what_encode_writes) {
  std::mt19937_64 random(7);
  for (const ReductionDeclaration& declared : kDeclaredReductions) {
    for (std::size_t count : {0U, 1U, 2U, 30U}) {
      for (int run = 0; run < 50; ++run) {
        std::vector<Partial> each;
        for (std::size_t i = 0; i < count; ++i) each.push_back(some(declared.reduction, random));
        ExactFactor factor;
        for (Partial& partial : each) partial.divide(run % 2 == 0 ? 1 : 7);
        factor.divide(run % 2 == 0 || count == 0 ? 1 : 7);
        std::vector<std::byte> bytes;
        Partials(declared.reduction, each).encode(bytes);

        const ByteBounds expected = encoded_bytes(declared.reduction, count, factor, kRange);

        EXPECT_LE(expected.least, bytes.size()) << declared.word << " " << count;
        EXPECT_GE(expected.most, bytes.size()) << declared.word << " " << count;
      }
    }
  }
}

}  // namespace
}  // namespace pileus
