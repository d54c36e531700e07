#include "formats/format.h"

#include <gtest/gtest.h>

#include <vector>

namespace pileus {
namespace {

std::vector<Index> spaces(Index first_records, Index block_records, std::size_t growths) {
  std::vector<Index> spaces;
  Index space = 0;
  while (spaces.size() < growths) {
    space += records_to_add(space, first_records, block_records);
    spaces.push_back(space);
  }
  return spaces;
}

TEST(RecordsToAdd, double_the_space_up_to_what_is_expected) {
  EXPECT_EQ(spaces(1, 20, 6), (std::vector<Index>{1, 2, 4, 8, 16, 20}));
  EXPECT_EQ(spaces(3, 16, 4), (std::vector<Index>{3, 6, 12, 16}));
  EXPECT_EQ(spaces(1, 16, 5), (std::vector<Index>{1, 2, 4, 8, 16}));
}

TEST(RecordsToAdd, go_on_by_as_many_as_were_expected_where_more_come) {
  EXPECT_EQ(spaces(1, 6, 6), (std::vector<Index>{1, 2, 4, 6, 12, 18}));
}

TEST(RecordsToAdd, are_all_that_are_expected_where_these_are_small) {
  EXPECT_EQ(spaces(0, 20, 2), (std::vector<Index>{20, 40}));
  EXPECT_EQ(spaces(20, 20, 2), (std::vector<Index>{20, 40}));
}

}  // namespace
}  // namespace pileus
