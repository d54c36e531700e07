#include "objects/tracker.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace pileus::objects {
namespace {

/// Objects of one row: letters beside each other are one object.
std::vector<Run> row(const std::string& text) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = static_cast<Index>(i);
    if (text[i] == '.') continue;
    if (i > 0 && text[i - 1] == text[i])
      ++runs.back().end;
    else
      runs.push_back({0, at, at + 1, at});
  }
  return runs;
}

std::vector<std::int64_t> identities(const Tracked& tracked) {
  std::vector<std::int64_t> all;
  for (const Track& track : tracked.tracks()) all.push_back(track.identity);
  return all;
}

using Identities = std::vector<std::int64_t>;

TEST(Tracked, numbers_objects_of_the_first_step_by_their_labels) {
  const Tracked first(row("aa.b..c"), 60);

  EXPECT_EQ(identities(first), (Identities{1, 2, 3}));
  EXPECT_EQ(first.tracks()[2].parent, 0);
  EXPECT_EQ(first.tracks()[2].begun_s, 60);
  EXPECT_TRUE(first.ended().empty());
}

TEST(Tracked, keeps_an_object_that_moves_and_ends_one_that_is_gone) {
  const Tracked first(row("aaa..bb"), 60);
  const Tracked second(first, row(".aaa..."), 100);
  const Tracked third(second, row("......."), 130);

  EXPECT_EQ(identities(second), (Identities{1}));
  EXPECT_EQ(second.tracks()[0].begun_s, 60);
  ASSERT_EQ(second.ended().size(), 1U);
  EXPECT_EQ(second.ended()[0].identity, 2);
  EXPECT_EQ(second.ended()[0].into, 0);
  EXPECT_EQ(second.ended()[0].lifetime_s, 0);
  ASSERT_EQ(third.ended().size(), 1U);
  EXPECT_EQ(third.ended()[0].lifetime_s, 40);  // it was there last at 100 s
}

TEST(Tracked, goes_on_in_the_larger_part_of_an_object_that_splits) {
  const Tracked first(row("aaaaaa.b"), 0);
  const Tracked second(first, row("a.aaa..."), 1);

  EXPECT_EQ(identities(second), (Identities{3, 1}));
  EXPECT_EQ(second.tracks()[0].parent, 1);
  EXPECT_EQ(second.tracks()[0].begun_s, 1);
  EXPECT_EQ(second.tracks()[1].parent, 0);
}

TEST(Tracked, goes_on_in_the_first_of_equal_parts) {
  const Tracked first(row("aaaaa"), 0);
  const Tracked second(first, row("aa.aa"), 1);

  EXPECT_EQ(identities(second), (Identities{1, 2}));
}

TEST(Tracked, is_what_it_has_most_of_where_objects_merge) {
  const Tracked first(row("a.bbb.c"), 0);
  const Tracked second(first, row("aaaaaaa"), 5);

  EXPECT_EQ(identities(second), (Identities{2}));
  EXPECT_EQ(second.tracks()[0].merged, 2);
  ASSERT_EQ(second.ended().size(), 2U);
  EXPECT_EQ(second.ended()[0].identity, 1);
  EXPECT_EQ(second.ended()[0].into, 2);
  EXPECT_EQ(second.ended()[1].identity, 3);
}

TEST(Tracked, is_the_lowest_of_those_it_has_as_much_of) {
  const Tracked first(row("..b...a"), 0);
  const Tracked second(first, row("..bbbbb"), 1);

  EXPECT_EQ(identities(second), (Identities{1}));
}

TEST(Tracked, never_gives_an_identity_again) {
  const Tracked first(row("a"), 0);
  const Tracked second(first, row("."), 1);
  const Tracked third(second, row("a"), 2);

  EXPECT_EQ(identities(third), (Identities{2}));
}

TEST(Tracked, goes_on_from_its_bytes) {
  const Tracked first(row("aaa.bb"), 1);
  const Tracked second(first, row("a.a.b."), 2);
  std::vector<std::byte> bytes;
  Encoder out(bytes);
  second.encode(out);
  Decoder in(bytes);
  const Tracked again = Tracked::decode(in, 1, 6);

  const Tracked third(second, row("aaa..b"), 3), other(again, row("aaa..b"), 3);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(identities(third), identities(other));
  ASSERT_EQ(other.ended().size(), 2U);  // the part that split off, and b, which moved too far
  EXPECT_EQ(other.ended()[0].lifetime_s, third.ended()[0].lifetime_s);
  Decoder narrow(bytes);
  EXPECT_THROW(Tracked::decode(narrow, 1, 4), TransportError);
}

}  // namespace
}  // namespace pileus::objects
