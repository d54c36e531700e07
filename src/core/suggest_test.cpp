#include "core/suggest.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

TEST(Suggestion, is_the_word_within_a_few_edits) {
  const std::vector<std::string> words = {"frequency", "name", "size"};

  EXPECT_EQ(nearest("freqency", words), "frequency");    // one letter missing
  EXPECT_EQ(nearest("frequenccy", words), "frequency");  // one too many
  EXPECT_EQ(nearest("frequemcy", words), "frequency");   // another letter
  EXPECT_EQ(nearest("fre_quecny", words), "frequency");  // neighbours swapped and one too many
  EXPECT_EQ(nearest("NAME", words), "name");             // letter case is no edit
  EXPECT_EQ(nearest("colour", words), "");
}

TEST(Suggestion, is_none_where_nothing_is_known_or_nothing_is_common) {
  const std::vector<std::string> letters = {"u", "v"};

  EXPECT_EQ(nearest("w", {}), "");
  EXPECT_EQ(nearest("w", letters), "");
  EXPECT_EQ(nearest("", letters), "");
  EXPECT_EQ(did_you_mean("w", letters), "");
}

TEST(Suggestion, of_equally_near_words_is_the_first_in_the_alphabet) {
  const std::vector<std::string> words = {"temp_c", "temp_b", "temp_d"};

  EXPECT_EQ(nearest("temp_x", words), "temp_b");
  EXPECT_EQ(did_you_mean("temp_x", words), "; did you mean \"temp_b\"?");
}

TEST(Suggestion, prefers_the_nearest_wherever_it_stands) {
  const std::vector<std::string> words = {"averages", "averaged", "average"};

  EXPECT_EQ(nearest("averagedd", words), "averaged");
}

}  // namespace
}  // namespace pileus
