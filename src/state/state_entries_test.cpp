#include "state/state_entries.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pileus {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

std::vector<StateEntry> some_entries() {
  return {{"window", "a.nc\nw", {{0, 4}, {3, 5}}, bytes_of("one")},
          {"window", "a.nc\nw", {{3, 4}, {2, 5}}, bytes_of("another")},
          {"file", "a.nc\n7", {}, {}}};
}

TEST(StateEntries, come_back_from_their_bytes) {
  EXPECT_EQ(decode_entries(encode_entries(some_entries())), some_entries());
  EXPECT_TRUE(decode_entries(encode_entries({})).empty());
}

TEST(StateEntries, are_refused_when_cut_short_anywhere) {
  const Bytes whole = encode_entries(some_entries());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(decode_entries(std::span(whole).first(size)), TransportError) << size;
}

TEST(StateEntries, are_refused_with_more_behind_them) {
  Bytes longer = encode_entries(some_entries());
  longer.push_back(std::byte{0});
  EXPECT_THROW(decode_entries(longer), TransportError);
}

TEST(StateEntries, are_refused_with_a_region_that_cannot_be) {
  const Index huge = Index{1} << 62;
  for (const Region& region : {Region{{huge}, {huge}}, Region{{0, 0}, {huge / 4, 8}}, Region{{-1}, {2}}}) {
    const std::vector<StateEntry> entries = {{"window", "a.nc\nw", region, {}}};

    EXPECT_THROW(decode_entries(encode_entries(entries)), TransportError) << text(region);
  }
}

TEST(StateEntries, of_another_version_are_refused_by_its_number) {
  Bytes other = encode_entries(some_entries());
  other[4] = std::byte{9};
  try {
    decode_entries(other);
    FAIL();
  } catch (const TransportError& error) {
    EXPECT_NE(std::string(error.what()).find("version 9"), std::string::npos) << error.what();
  }
}

TEST(StateEntries, are_found_by_kind_and_key_in_an_order_of_their_own) {
  const std::vector<StateEntry> entries = some_entries();
  StateEntries forwards, backwards;
  for (const StateEntry& entry : entries) forwards.add(entry);
  for (std::size_t i = entries.size(); i > 0; --i) backwards.add(entries[i - 1]);
  EXPECT_EQ(forwards.find("window", "a.nc\nw").size(), 2U);
  EXPECT_TRUE(std::ranges::equal(forwards.find("window", "a.nc\nw"), backwards.find("window", "a.nc\nw")));
  EXPECT_TRUE(forwards.find("window", "a.nc\nu").empty());
  EXPECT_EQ(forwards.keys("window"), std::vector<std::string>{"a.nc\nw"});
}

}  // namespace
}  // namespace pileus
