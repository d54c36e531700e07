#include "publishing/parts/part_waits.h"

#include <gtest/gtest.h>

#include "publishing/parts/testing/writers.h"

namespace pileus::testing {
namespace {

TEST(PartWriter, says_what_it_waits_for) {
  Writers run(1, 0);
  run.only().place(placed(0, 1));
  for (ClientRank client : {0U, 3U}) run.only().add(part_of_w(0, client), client);

  EXPECT_EQ(
      run.only().open_texts(),
      (std::vector<std::string>{"f.nc, period 1: record 0 of w at 0 s lacks the parts of model ranks 1, 2",
                                "f.nc, period 1: is not closed"}));
}

TEST(PartWriter, says_both_of_a_record_that_lacks_its_place_and_a_part) {
  Writers run(1, 0);
  for (ClientRank client : {0U, 2U, 3U}) run.only().add(part_of_w(0, client), client);
  run.only().add(m(0), 0);

  EXPECT_EQ(texts_of(run.only().waits()),
            (std::vector<std::string>{
                "f.nc, period 1: record 0 of w at 0 s has no place yet and lacks the part of model rank 1",
                "f.nc, period 1: record 0 of m at 0 s has no place yet"}));
}

TEST(PartWriter, tells_of_all_records_of_a_variable_that_lack_something_as_one_subject) {
  Writers run(1, 0);
  run.only().place(placed(0, 3));
  for (Index record = 0; record < 3; ++record) run.only().add(part_of_w(record, 0), 0);
  for (ClientRank client : {1U, 2U, 3U}) run.only().add(part_of_w(1, client), client);

  const std::vector<Wait> waits = run.only().waits();

  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].text, "f.nc, period 1: 1 record is being written to the disk");
  EXPECT_EQ(waits[0].numbers, std::vector<std::int64_t>{1});
  EXPECT_EQ(waits[1].subject, "f.nc, period 1, w");
  EXPECT_EQ(waits[1].numbers, (std::vector<std::int64_t>{0, 2}));
}

}  // namespace
}  // namespace pileus::testing
