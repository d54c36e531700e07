#include "core/extents.h"

#include <gtest/gtest.h>

#include "core/encoder.h"

namespace pileus {
namespace {

using Numbers = std::vector<Index>;

TEST(Extents, hold_what_a_vector_holds) {
  Extents extents{4, 5};
  extents.push_back(6);
  extents.resize(5, 1);

  EXPECT_EQ(Numbers(extents), (Numbers{4, 5, 6, 1, 1}));
  EXPECT_EQ(extents, Extents(Numbers{4, 5, 6, 1, 1}));
  EXPECT_EQ(extents.front(), 4);
  EXPECT_EQ(extents.back(), 1);
}

TEST(Extents, are_equal_whatever_they_held_before) {
  Extents shrunk{7, 8, 9};
  shrunk.resize(1);
  Extents cleared{3};
  cleared.clear();

  EXPECT_EQ(shrunk, Extents{7});
  EXPECT_EQ(cleared, Extents());
  EXPECT_FALSE(shrunk == (Extents{7, 8}));
  shrunk.resize(2);
  EXPECT_EQ(shrunk, (Extents{7, 0}));
}

TEST(Extents, refuse_more_dimensions_than_there_may_be) {
  Extents full(kMaxRank, 2);

  EXPECT_THROW(full.push_back(2), UsageError);
  EXPECT_THROW(full.resize(kMaxRank + 1), UsageError);
  EXPECT_THROW(Extents(Numbers(kMaxRank + 1, 2)), UsageError);
  EXPECT_EQ(full, Extents(kMaxRank, 2));
}

TEST(Extents, have_the_bytes_of_a_vector) {
  const Extents extents{4, 0, -1};
  Bytes bytes, of_vector;
  Encoder(bytes).put(extents);
  Encoder(of_vector).put(Numbers(extents));
  Decoder in(bytes);

  EXPECT_EQ(bytes, of_vector);
  EXPECT_EQ(in.get_extents(), extents);
  EXPECT_TRUE(in.is_at_end());
}

TEST(Extents, of_bytes_with_too_many_dimensions_are_refused) {
  Bytes bytes;
  Encoder(bytes).put(Numbers(kMaxRank + 1, 1));
  Decoder in(bytes);

  EXPECT_THROW(in.get_extents(), TransportError);
}

}  // namespace
}  // namespace pileus
