#include "start/components.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace pileus {
namespace {

constexpr Membership server() { return {true, 0}; }
Membership model(std::string_view component) { return {false, number_of_component(component)}; }

using Ranks = std::vector<Peer>;

TEST(Components, are_one_without_a_name_where_nobody_names_one) {
  const std::vector<Membership> ranks = {model(""), server(), model("")};

  const auto components = components_of(ranks);

  ASSERT_EQ(components.size(), 1);
  EXPECT_EQ(components[0].number, 0);
  EXPECT_EQ(components[0].members, (Ranks{0, 1, 2}));
}

TEST(Components, have_their_own_ranks_and_all_servers) {
  const std::vector<Membership> ranks = {server(), model("ocean"), model("atmosphere"), model("ocean"),
                                         server()};

  const auto components = components_of(ranks);

  ASSERT_EQ(components.size(), 2);
  EXPECT_EQ(components[0].number, number_of_component("ocean"));
  EXPECT_EQ(components[0].first, 1);
  EXPECT_EQ(components[0].members, (Ranks{0, 1, 3, 4}));
  EXPECT_EQ(components[1].first, 2);
  EXPECT_EQ(components[1].members, (Ranks{0, 2, 4}));
}

TEST(Components, are_named_by_all_ranks_or_by_none) {
  const std::vector<Membership> ranks = {server(), model("ocean"), model("")};

  try {
    components_of(ranks);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "pileus_start: rank 2 names no component, but rank 1 does; all model ranks of a "
                 "communicator name theirs, or none");
  }
}

TEST(Components, have_names_of_which_folders_and_files_can_be_made) {
  for (const char* const name : {"", "ocean", "sea-ice_2"}) EXPECT_EQ(mistake_in_component(name), "") << name;
  for (const char* const name : {"..", "a/b", "2d", "-x", "a.b", "é", "step-0000000010", " "})
    EXPECT_NE(mistake_in_component(name), "") << name;
  EXPECT_NE(mistake_in_component(std::string(65, 'a')), "");
}

}  // namespace
}  // namespace pileus
