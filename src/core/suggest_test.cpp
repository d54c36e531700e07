#include "core/suggest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

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

/// The distance by its definition: the fewest edits of the words without their last characters, and one more.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      table[i][j] = std::min(
          {table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

std::string some_word(std::mt19937& random, std::size_t length) {
  std::string word(length, ' ');
  for (char& c : word) c = "abc"[random() % 3];
  return word;
}

TEST(Suggestion, is_as_near_as_the_distance_says_for_short_and_long_words) {
  std::mt19937 random(1);
  int found = 0;
  for (const std::size_t length : {1, 2, 3, 7, 20, 63, 64, 65, 100, 256}) {
    for (int n = 0; n < 60; ++n) {
      const std::string word = some_word(random, length);
      std::string candidate = word;
      for (std::size_t edit = random() % (length / 2 + 2); edit > 0 && candidate.size() > 1; --edit) {
        const std::size_t at = random() % (candidate.size() - 1);
        if (edit % 4 == 0) candidate.erase(at, 1);
        if (edit % 4 == 1) candidate[at] = "abc"[random() % 3];
        if (edit % 4 == 2) candidate.insert(at, 1, 'b');
        if (edit % 4 == 3) std::swap(candidate[at], candidate[at + 1]);
      }
      const std::size_t distance = edits(word, candidate);
      const std::size_t longer = std::max(word.size(), candidate.size());
      const bool is_near = distance <= std::max<std::size_t>(1, length / 3) && distance < longer;
      const bool is_short = longer <= 256;
      found += is_near && is_short ? 1 : 0;

      EXPECT_EQ(nearest(word, std::vector{candidate}), is_near && is_short ? candidate : "")
          << word << " " << candidate << " are " << distance << " edits apart";
    }
  }
  EXPECT_GT(found, 200);
}

TEST(Suggestion, for_a_word_of_a_megabyte_is_none_and_soon) {
  const std::string word(1 << 20, 'a');
  NearestWord nearest(word);
  for (int i = 0; i < 1000; ++i) nearest.offer(word);

  EXPECT_EQ(nearest.found(), "");
  EXPECT_EQ(nearest.steps(), 1000U);
}

}  // namespace
}  // namespace pileus
