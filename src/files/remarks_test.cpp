#include "files/remarks.h"

#include <gtest/gtest.h>

namespace pileus::testing {
namespace {

std::vector<Remark> remarks(std::int64_t index, double time_s) {
  PlannedFile file;
  file.says_when_ended = true;
  return remarks_of_end(file, {index, time_s});
}

TEST(Remarks, of_the_end_are_those_of_monc) {
  EXPECT_EQ(remarks(152, 120), (std::vector<Remark>{{"MONC time", "120.00"}, {"MONC timestep", "152"}}));
}

TEST(Remarks, of_the_end_have_ten_decimals_without_most_zeros_as_in_monc) {
  const auto time = [](double time_s) { return remarks(1, time_s).front().text; };

  EXPECT_EQ(time(0), "0.00");
  EXPECT_EQ(time(60.5), "60.500");
  EXPECT_EQ(time(0.1 + 0.2), "0.300");  // 0.30000000000000004
  EXPECT_EQ(time(100.0 / 3), "33.3333333333");
  EXPECT_EQ(time(0.00000001), "0.0000000100");  // two zeros at the end are not left out
  EXPECT_EQ(time(-2.25), "-2.2500");
  EXPECT_EQ(time(1e300).size(), 301U + 3);
}

TEST(Remarks, of_the_end_are_none_where_the_file_has_none) {
  EXPECT_TRUE(remarks_of_end({}, {152, 120}).empty());
}

}  // namespace
}  // namespace pileus::testing
