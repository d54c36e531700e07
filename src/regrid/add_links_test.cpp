#include "regrid/add_links.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "exec/seeded_random.h"
#include "regrid/testing/slow_sums.h"

namespace pileus {
namespace {

using testing::LinkedElement;
using testing::same_bits;
using testing::slow_sum;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoElement = -12345;  ///< what nothing may be written over

std::vector<Index> rising(std::size_t count, Index step) {
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<Index>(i) * step);
  return numbers;
}

/// Of sources with one element each, the points of the result.
std::vector<double> sums(const PlacedLinks& links, const LinkedSums& how,
                         const std::vector<double>& sources) {
  std::vector<double> to(links.rows(), kNoElement);
  const std::vector<Index> points = rising(links.rows(), 1), others = {0};
  add_links(links, how, sources.data(), 1, to.data(), {points, others});
  return to;
}

const PlacedLinks kOneOfThree{{0, 3}, {0, 1, 2}, {1, 2, 4}};
const PlacedLinks kMeanOfThree{{0, 3}, {0, 1, 2}, {}};

TEST(AddLinks, adds_elements_times_their_weights) {
  const PlacedLinks links{{0, 2, 3, 5}, {0, 2, 1, 1, 2}, {0.5, 2, 3, 1, -1}};

  const std::vector<double> made = sums(links, {}, {10, 20, 30});

  EXPECT_EQ(made, (std::vector<double>{65, 60, -10}));  // 5 + 60, 60, 20 - 30
}

TEST(AddLinks, divides_a_mean_by_the_number_of_elements_that_are_there) {
  EXPECT_EQ(sums(kMeanOfThree, {LinkSum::mean}, {1, 4, 10}), (std::vector<double>{5}));
  EXPECT_EQ(sums(kMeanOfThree, {LinkSum::mean, LinkMissing::scaled, 4}, {1, 4, 10}),
            (std::vector<double>{5.5}));
  EXPECT_EQ(sums(kMeanOfThree, {LinkSum::mean, LinkMissing::missing, 4}, {1, 4, 10}),
            (std::vector<double>{kMissing}));
}

TEST(AddLinks, scales_the_weights_of_those_that_are_there) {
  const LinkedSums scaled{LinkSum::weighted, LinkMissing::scaled, -1};

  EXPECT_EQ(sums(kOneOfThree, scaled, {1, 2, 3}), (std::vector<double>{17}));
  EXPECT_EQ(sums(kOneOfThree, scaled, {1, -1, 3}), (std::vector<double>{13.0 / 5 * 7}));
  EXPECT_EQ(sums(kOneOfThree, scaled, {-1, -1, -1}), (std::vector<double>{kMissing}));
  // Those that are there weigh nothing together.
  EXPECT_EQ(sums({{0, 3}, {0, 1, 2}, {0, 0, 4}}, scaled, {1, 2, -1}), (std::vector<double>{kMissing}));
  EXPECT_EQ(sums(kOneOfThree, {LinkSum::weighted, LinkMissing::missing, -1}, {1, -1, 3}),
            (std::vector<double>{kMissing}));
}

TEST(AddLinks, scales_no_negative_weights) {
  const PlacedLinks links{{0, 3, 6}, {0, 1, 2, 0, 1, 1}, {1, 0.5, -0.25, 1, 0.5, 0.25}};
  const LinkedSums scaled{LinkSum::weighted, LinkMissing::scaled, -1};

  EXPECT_EQ(sums(links, scaled, {1, 4, 2}), (std::vector<double>{2.5, 4}));
  // Scaled, 4 and 2 would give 7.5.
  EXPECT_EQ(sums(links, scaled, {-1, 4, 2}), (std::vector<double>{kMissing, 3.0 / 0.75 * 1.75}));
}

TEST(AddLinks, copies_what_it_finds) {
  const PlacedLinks links{{0, 1, 1, 2, 3}, {2, 0, 1}, {}};

  const std::vector<double> made =
      sums(links, {LinkSum::copy, LinkMissing::scaled, -999}, {-0.0, kNaN, -999});

  EXPECT_EQ(made[0], -999) << "as the input has it";
  EXPECT_EQ(made[1], kMissing) << "made of nothing";
  EXPECT_TRUE(same_bits(made[2], -0.0));
  EXPECT_TRUE(std::isnan(made[3]));
}

TEST(AddLinks, gives_points_without_links_no_value) {
  for (const LinkSum sum : {LinkSum::weighted, LinkSum::mean, LinkSum::copy}) {
    EXPECT_EQ(sums({{0, 0, 0}, {}, {}}, {sum}, {1}), (std::vector<double>{kMissing, kMissing}));
    EXPECT_EQ(sums({{0, 0}, {}, {}}, {sum, LinkMissing::scaled, 1}, {1}), (std::vector<double>{kMissing}));
  }
}

/// NaN is a number like others, and is no missing value.
TEST(AddLinks, keeps_nan_and_infinity) {
  for (const auto& missing : {std::optional<double>(), std::optional<double>(7)}) {
    const LinkedSums weighted{LinkSum::weighted, LinkMissing::scaled, missing};
    EXPECT_TRUE(std::isnan(sums(kOneOfThree, weighted, {1, kNaN, 3})[0]));
    EXPECT_EQ(sums(kOneOfThree, weighted, {1, kInfinity, 3})[0], kInfinity);
    EXPECT_TRUE(std::isnan(sums(kOneOfThree, weighted, {-kInfinity, kInfinity, 3})[0]));
    EXPECT_TRUE(std::isnan(sums({{0, 1}, {0}, {0}}, weighted, {kInfinity})[0])) << "0 times infinity";
  }
}

/// An infinity that is missing leaves no NaN behind, though 0 times infinity would.
TEST(AddLinks, takes_infinity_for_missing_where_it_is_to) {
  const LinkedSums weighted{LinkSum::weighted, LinkMissing::scaled, kInfinity};
  EXPECT_EQ(sums(kOneOfThree, weighted, {1, kInfinity, 3}), (std::vector<double>{13.0 / 5 * 7}));
}

/// Sums begin with 0, to which -0 adds nothing.
TEST(AddLinks, makes_zero_of_negative_zeros) {
  for (const auto& missing : {std::optional<double>(), std::optional<double>(7)}) {
    EXPECT_TRUE(same_bits(sums(kOneOfThree, {LinkSum::weighted, {}, missing}, {-0.0, -0.0, -0.0})[0], 0.0));
    EXPECT_TRUE(same_bits(sums(kMeanOfThree, {LinkSum::mean, {}, missing}, {-0.0, -0.0, -0.0})[0], 0.0));
  }
  EXPECT_EQ(sums(kOneOfThree, {LinkSum::weighted, {}, 0.0}, {1, -0.0, 3})[0], 13.0 / 5 * 7)
      << "-0 equals 0, so it is missing, too";
}

/// Links of any number of points to elements of any number, of which some are missing, NaN or infinite.
struct RandomSums {
  explicit RandomSums(std::uint64_t seed) : random(seed) {
    const auto rows = static_cast<std::size_t>(random.below(seed % 4 == 0 ? 150 : 12));
    count = 1 + static_cast<std::size_t>(random.below(seed % 3 == 0 ? 150 : 8));
    const std::uint64_t points = 1 + random.below(30);
    how.sum = std::array{LinkSum::weighted, LinkSum::mean, LinkSum::copy}[random.below(3)];
    how.missing = random.below(2) == 0 ? LinkMissing::scaled : LinkMissing::missing;
    if (random.below(2) == 0) how.missing_value = -999;
    const bool has_weights = how.sum == LinkSum::weighted && random.below(4) > 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool has_negative = random.below(3) == 0;
      const std::uint64_t some = 1 + random.below(6);
      for (std::uint64_t point = random.below(some); point < points; point += 1 + random.below(some * 2)) {
        if (how.sum == LinkSum::copy && links.place.size() > links.begin.back()) break;
        links.place.push_back(static_cast<std::uint32_t>(point));
        if (has_weights) links.weight.push_back(has_negative ? number() : std::abs(number()));
      }
      links.begin.push_back(links.place.size());
    }
    for (std::uint64_t i = 0; i < points * count; ++i) sources.push_back(element(seed % 5 == 0));
  }
  double number() { return static_cast<double>(random.below(2001)) / 7 - 100; }
  double element(bool may_be_special) {
    const std::uint64_t kind = random.below(20);
    if (kind < 5) return -999;
    if (may_be_special && kind == 5) return kNaN;
    if (may_be_special && kind == 6) return kInfinity;
    return kind == 7 ? -0.0 : number();
  }
  double right(std::size_t row, std::size_t l) const {
    std::vector<LinkedElement> elements;
    for (std::uint64_t link = links.begin[row]; link < links.begin[row + 1]; ++link) {
      const double value = sources[links.place[link] * count + l];
      if (how.sum == LinkSum::copy) return value;
      const bool is_missing = how.missing_value && value == *how.missing_value;
      elements.push_back(
          {is_missing ? std::nullopt : std::optional(value), links.weight.empty() ? 1 : links.weight[link]});
    }
    return slow_sum(how.sum, how.missing, elements);
  }

  SeededRandom random;
  PlacedLinks links;
  LinkedSums how;
  std::size_t count = 1;
  std::vector<double> sources;
};

TEST(AddLinks, gives_the_bits_of_a_loop_over_single_elements) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSums model(seed);
    const std::size_t rows = model.links.rows();
    // Points or the elements of one lie together, with a gap behind each.
    const auto step_of_others = static_cast<Index>(seed % 2 == 0 ? 1 : rows + 1);
    const auto step_of_points = static_cast<Index>(seed % 2 == 0 ? model.count + 2 : 1);
    const std::vector<Index> points = rising(rows, step_of_points),
                             others = rising(model.count, step_of_others);
    std::vector<double> to((rows + 2) * (model.count + 2), kNoElement), right = to;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t l = 0; l < model.count; ++l)
        right[static_cast<std::size_t>(points[row] + others[l])] = model.right(row, l);

    add_links(model.links, model.how, model.sources.data(), model.count, to.data(), {points, others});

    for (std::size_t i = 0; i < to.size(); ++i) ASSERT_TRUE(same_bits(to[i], right[i])) << "element " << i;
  }
}

}  // namespace
}  // namespace pileus
