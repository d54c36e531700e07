#include "core/model_ranks.h"

#include <gtest/gtest.h>

#include <random>

namespace pileus {
namespace {

constexpr std::size_t kCoordinates = 100'000;

/// The first of a row of ranks along x, each with 16 columns of 100 000 levels and many profiles.
RankDescription first_column() {
  RankDescription one;
  ModelDimension z{"z", kCoordinates, {}, "m"};
  for (std::size_t k = 0; k < kCoordinates; ++k) z.coordinates.push_back(0.1 * static_cast<double>(k));
  one.dimensions = {z, {"x", 16 * 1024, {}, ""}};
  one.fields = {{"w", ElementType::float64, {"z", "x"}, {{0, 0}, {z.size, 16}}}};
  for (int i = 0; i < 200; ++i)
    one.fields.push_back({"profile_" + std::to_string(i), ElementType::float64, {"z"}, {{0}, {z.size}}});
  one.options = {{"nx", "16"}};
  return one;
}

ModelRanks columns(Index ranks) {
  ModelRanks model;
  RankDescription one = first_column();
  for (Index rank = 0; rank < ranks; ++rank) {
    one.fields[0].region.start[1] = 16 * rank;
    model.add(one);
  }
  return model;
}

Bytes encoded(const ModelRanks& model) {
  Bytes bytes;
  Encoder out(bytes);
  model.encode(out);
  return bytes;
}

bool is_equal(const RankDescription& a, const RankDescription& b) {
  return a.dimensions == b.dimensions && a.fields == b.fields && a.options == b.options &&
         a.calendar == b.calendar && a.epoch == b.epoch && a.continue_after == b.continue_after &&
         a.describe_model == b.describe_model;
}

/// Ranks that differ in anything that ranks may differ in, rightly or not.
RankDescription random_rank(std::mt19937& random) {
  RankDescription rank;
  for (const char* name : {"x", "y", "z"}) {
    const auto size = static_cast<Index>(random() % 3);
    rank.dimensions.push_back({name, size, std::vector<double>(random() % 2 * size, 0.5), ""});
  }
  for (std::size_t f = random() % 4; f > 0; --f) {
    ModelField field{"f" + std::to_string(f), ElementType::float64, {}, {}};
    for (std::size_t d = random() % 4; d > 0; --d) {
      if (random() % 8 > 0) field.dimensions.push_back(rank.dimensions[d - 1].name);
      field.region.add({static_cast<Index>(random() % 5) - 1, static_cast<Index>(random() % 300) - 1});
    }
    field.is_static = random() % 8 == 0;
    rank.fields.push_back(field);
  }
  if (random() % 4 == 0) rank.options["a"] = std::to_string(random() % 2);
  if (random() % 4 == 0) rank.continue_after = random() % 2;
  return rank;
}

TEST(ModelRanks, give_back_each_rank_as_it_registered) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 500; ++trial) {
    ModelDescription model;
    for (std::size_t rank = random() % 6; rank > 0; --rank) model.ranks.push_back(random_rank(random));

    const ModelRanks held(model);
    const Bytes bytes = encoded(held);
    Decoder in(bytes);
    const ModelRanks again = ModelRanks::decode(in);

    EXPECT_TRUE(in.is_at_end());
    ASSERT_EQ(again.size(), model.ranks.size());
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
      EXPECT_TRUE(is_equal(held[rank], model.ranks[rank])) << trial;
      EXPECT_TRUE(is_equal(again[rank], model.ranks[rank])) << trial;
      EXPECT_LE(again.first_rank(again.kind_of(rank)), rank);
    }
  }
}

TEST(ModelRanks, are_of_one_kind_where_they_differ_in_their_places_alone) {
  ModelRanks model = columns(3);
  RankDescription other = first_column();
  other.dimensions[0].coordinates[7] += 1e-12;
  model.add(other);

  EXPECT_EQ(model.kind_count(), 2U);
  EXPECT_EQ(model.kind_of(2), 0U);
  EXPECT_EQ(model.first_rank(1), 3U);
}

// A rank whose x begins where its y does is of the same kind as the others.
TEST(ModelRanks, of_a_square_of_ranks_are_of_one_kind) {
  ModelRanks model;
  for (Index rank = 0; rank < 16; ++rank) {
    RankDescription one;
    one.dimensions = {{"y", 16, {}, ""}, {"x", 16, {}, ""}};
    one.fields = {{"p", ElementType::float64, {"y", "x"}, {{rank % 4 * 4, rank / 4 * 4}, {4, 4}}}};
    model.add(one);
  }

  EXPECT_EQ(model.kind_count(), 1U);
}

// Each rank of these would take 800 kB of coordinates and 17 kB of names.
TEST(ModelRanks, cost_a_message_a_few_bytes_each) {
  const Bytes one = encoded(columns(1)), all = encoded(columns(1024));

  EXPECT_LT(one.size(), 8 * kCoordinates + 20'000);
  EXPECT_LT(all.size() - one.size(), 1024 * 20U);
}

TEST(ModelRanks, that_end_early_anywhere_are_refused) {
  std::mt19937 random(3);
  ModelRanks model;
  for (int rank = 0; rank < 3; ++rank) model.add(random_rank(random));
  const Bytes bytes = encoded(model);

  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    Decoder in(part);

    EXPECT_THROW(ModelRanks::decode(in), TransportError) << size;
  }
}

TEST(ModelRanks, with_any_bytes_changed_are_refused_or_consistent) {
  std::mt19937 random(5);
  ModelRanks model;
  for (int rank = 0; rank < 4; ++rank) model.add(random_rank(random));
  const Bytes bytes = encoded(model);
  for (int trial = 0; trial < 20'000; ++trial) {
    Bytes changed = bytes;
    for (int i = 0; i < 1 + trial % 3; ++i)
      changed[random() % changed.size()] = static_cast<std::byte>(random());

    Decoder in(changed);
    try {
      const ModelRanks back = ModelRanks::decode(in);
      for (std::size_t rank = 0; rank < back.size(); ++rank) {
        for (const ModelField& field : back[rank].fields)
          ASSERT_EQ(field.region.start.size(), field.region.count.size());
      }
    } catch (const TransportError&) {
    }
  }
}

TEST(Numbers, come_back_and_are_short_where_they_are_small) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, UINT64_MAX}) {
    Bytes bytes;
    Encoder out(bytes);
    put_number(out, number);

    Decoder in(bytes);
    EXPECT_EQ(get_number(in), number);
    EXPECT_TRUE(in.is_at_end());
    EXPECT_EQ(bytes.size() == 1, number < 128);
  }
}

TEST(Numbers, that_are_too_long_are_refused) {
  const Bytes bytes(10, std::byte{0xff});
  Decoder in(bytes);

  EXPECT_THROW(get_number(in), TransportError);
}

}  // namespace
}  // namespace pileus
