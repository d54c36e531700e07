#include "expression/bin_edges.h"

#include <gtest/gtest.h>

namespace pileus::planning {
namespace {

using Values = std::vector<double>;

TEST(BinEdges, are_a_list_or_a_range) {
  EXPECT_EQ(parse_edges("0, 1.5,1e2"), (Values{0, 1.5, 100}));
  EXPECT_EQ(parse_edges("-90:90:60"), (Values{-90, -30, 30, 90}));
  EXPECT_EQ(parse_edges(" 0 : 1 : 0.1 ").size(), 11U);
  EXPECT_EQ(parse_edges("0:0.3:0.1"), (Values{0, 0.3 / 3, 2 * (0.3 / 3), 0.3}));
  EXPECT_EQ(parse_edges("(-90):90:(6e1)"), (Values{-90, -30, 30, 90}));  // options
  EXPECT_EQ(parse_edges("0:16384:1").size(), 16385U);
  EXPECT_EQ(parse_edges("log:1:16:4"), (Values{1, 2, 4, 8, 16}));
  EXPECT_EQ(parse_edges("log:1e-6:1e-2:1"), (Values{1e-6, 1e-2}));
}

TEST(BinEdges, that_do_not_rise_or_fit_are_refused_at_their_place) {
  struct Mistake {
    const char* text;
    std::size_t offset;
    const char* part;
  };
  for (const Mistake& mistake : {Mistake{"", 0, "\"\" is no number"},
                                 {"1", 0, "a bin has two edges"},
                                 {"0, 1, 1", 5, "not above"},
                                 {"0, x", 2, "\"x\" is no number"},
                                 {"0:1", 0, "a first edge, a last one and a step"},
                                 {"0:1:0", 4, "more than 16384 bins"},
                                 {"0:1:0.3", 4, "no whole number of steps"},
                                 {"1:0:0.1", 4, "no step of this kind"},
                                 {"1:0:-0.5", 0, "edges rise"},
                                 {"0:1:nan", 4, "is no number"},
                                 {"0:1:1e-5", 4, "more than 16384 bins"},
                                 {"0:1:1:1", 0, "a range has"},
                                 {"inf, 2", 0, "is no number"},
                                 {"log:1:2", 4, "how many bins"},
                                 {"log:0:1:5", 4, "from above 0"},
                                 {"log:2:1:5", 4, "edges rise"},
                                 {"log:1:2:0", 8, "a whole number"},
                                 {"log:1:2:1.5", 8, "a whole number"},
                                 {"log:1:2:1e9", 8, "more than 16384 bins"}}) {
    try {
      parse_edges(mistake.text);
      ADD_FAILURE() << mistake.text << " was taken";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset(), mistake.offset) << mistake.text << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(mistake.part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace pileus::planning
