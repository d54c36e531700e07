#include "core/error.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

TEST(Findings, come_in_the_order_of_file_line_and_column) {
  Findings findings;
  findings.error({"b.xml", 1, 1}, "sixth");
  findings.error({"a.xml", 10, 2}, "fifth");
  findings.warning({"a.xml", 9, 12}, "third");
  findings.note({"a.xml", 9, 2}, "second");
  findings.error({"a.xml", 10, 1}, "fourth");
  findings.error({"a.xml"}, "first");

  EXPECT_EQ(findings.text(),
            "a.xml: error: first\n"
            "a.xml:9:2: note: second\n"
            "a.xml:9:12: warning: third\n"
            "a.xml:10:1: error: fourth\n"
            "a.xml:10:2: error: fifth\n"
            "b.xml:1:1: error: sixth");
}

TEST(Findings, at_one_place_stay_in_the_order_in_which_they_were_found) {
  Findings findings;
  findings.error({"a.xml", 1, 1}, "z");
  findings.error({"a.xml", 1, 1}, "a");

  EXPECT_EQ(findings.text(), "a.xml:1:1: error: z\na.xml:1:1: error: a");
}

TEST(Findings, have_errors_only_if_one_is_an_error) {
  Findings findings;
  findings.warning({}, "w");
  findings.note({}, "n");
  EXPECT_FALSE(findings.has_errors());

  findings.error({}, "e");

  EXPECT_TRUE(findings.has_errors());
  EXPECT_EQ(findings.all().back().text(), "error: e");
}

}  // namespace
}  // namespace pileus
