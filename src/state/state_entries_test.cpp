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

TEST(StateEntries, have_keys_of_which_nothing_is_needed) {
  StateEntries entries;
  entries.add_key("window", "a.nc\nv");
  for (const StateEntry& entry : some_entries()) entries.add(entry);
  entries.add_key("window", "a.nc\nw");

  EXPECT_EQ(entries.keys("window"), (std::vector<std::string>{"a.nc\nv", "a.nc\nw"}));
  EXPECT_TRUE(entries.find("window", "a.nc\nv").empty());
  EXPECT_EQ(entries.find("window", "a.nc\nw").size(), 2U);
}

}  // namespace
}  // namespace pileus
