#include "core/model_description.h"

#include <gtest/gtest.h>

#include <random>

#include "core/encoder.h"
#include "core/error.h"

namespace pileus {
namespace {

RankDescription cumulus_rank() {
  RankDescription rank;
  rank.dimensions = {{"z", 3, {10, 30, 60}, "m"}, {"x", 128, {}, ""}};
  rank.fields = {{"w", ElementType::float32, {"z", "x"}, {{0, 64}, {3, 64}}},
                 {"dt", ElementType::float64, {}, {}},
                 {"vwp", ElementType::int64, {}, {{0}, {17}}}};
  rank.fields[0].metadata = {"m s-1", "upward_air_velocity", "rising air"};
  rank.options = {{"x_size", "128"}, {"title", ""}};
  return rank;
}

Bytes encoded(const RankDescription& rank) {
  Bytes bytes;
  Encoder out(bytes);
  rank.encode(out);
  return bytes;
}

TEST(RankDescription, comes_back_as_it_was) {
  const RankDescription rank = cumulus_rank();
  const Bytes bytes = encoded(rank);

  Decoder in(bytes);
  const RankDescription back = RankDescription::decode(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(back.dimensions, rank.dimensions);
  EXPECT_EQ(back.fields, rank.fields);
  EXPECT_EQ(back.options, rank.options);
}

TEST(RankDescription, of_nothing_comes_back_as_nothing) {
  const Bytes bytes = encoded({});

  Decoder in(bytes);
  const RankDescription back = RankDescription::decode(in);

  EXPECT_TRUE(back.dimensions.empty() && back.fields.empty() && back.options.empty());
}

TEST(RankDescription, that_ends_early_anywhere_is_refused) {
  const Bytes bytes = encoded(cumulus_rank());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    Decoder in(part);

    EXPECT_THROW(RankDescription::decode(in), TransportError) << size;
  }
}

TEST(RankDescription, with_any_bytes_changed_is_refused_or_consistent) {
  const Bytes bytes = encoded(cumulus_rank());
  std::mt19937 random(2);
  for (int trial = 0; trial < 20000; ++trial) {
    Bytes changed = bytes;
    for (int i = 0; i < 1 + trial % 3; ++i)
      changed[random() % changed.size()] = static_cast<std::byte>(random());

    Decoder in(changed);
    try {
      const RankDescription back = RankDescription::decode(in);
      for (const ModelField& field : back.fields) {
        ASSERT_TRUE(is_known(field.type));
        ASSERT_EQ(field.region.start.size(), field.region.count.size());
      }
    } catch (const TransportError&) {
    }
  }
}

TEST(RankDescription, with_an_unknown_type_of_number_is_refused) {
  RankDescription rank;
  rank.fields = {{"w", static_cast<ElementType>(6), {}, {}}};
  const Bytes bytes = encoded(rank);

  Decoder in(bytes);

  EXPECT_THROW(RankDescription::decode(in), TransportError);
}

TEST(RankDescription, whose_region_cannot_be_counted_is_refused) {
  const Index huge = Index{1} << 62;
  for (const Region& region : {Region{{huge}, {huge}}, Region{{0, 0}, {huge / 4, 8}}, Region{{0}, {-huge}}}) {
    RankDescription rank;
    rank.fields = {{"w", ElementType::float64, {}, region}};
    const Bytes bytes = encoded(rank);

    Decoder in(bytes);

    EXPECT_THROW(RankDescription::decode(in), TransportError) << text(region);
  }
}

}  // namespace
}  // namespace pileus
