#include "analytics/operators/testing/applied.h"

namespace pileus::operators {
namespace {

/// w on a domain of 2 z, 5 y, 3 x.
Quantity w() { return quantity("w", {{"z", 2}, {"y", 5}, {"x", 3}}); }

Prepared slice(const std::string& dimension, const std::string& index) {
  return prepared("field_slicer", {{"field", "w"}, {"dimension", dimension}, {"index", index}}, {w()});
}

TEST(FieldSlicer, takes_the_dimension_out_and_keeps_the_others_in_their_order) {
  const Quantity result = slice("y", "4").result;

  EXPECT_EQ(result.dimensions, (std::vector<Dimension>{{"z", 2}, {"x", 3}}));
}

TEST(FieldSlicer, takes_the_values_at_the_global_index) {
  // This rank has z 0..1, y 3..4, x 1: values z + 10 y + 100 x.
  const Held held{{130, 131, 140, 141}, {{0, 3, 1}, {2, 2, 1}}};

  EXPECT_EQ(slice("y", "4").region({held.region}), (Region{{0, 1}, {2, 1}}));
  EXPECT_EQ(computed(slice("y", "4"), {held}), (std::vector<double>{140, 141}));
  EXPECT_EQ(computed(slice("z", "0"), {held}), (std::vector<double>{130, 140}));
  EXPECT_EQ(computed(slice("x", "1"), {held}), (std::vector<double>{130, 131, 140, 141}));
}

TEST(FieldSlicer, gives_nothing_where_a_rank_does_not_hold_the_index) {
  const Region before{{0, 0, 0}, {2, 2, 3}}, behind{{0, 3, 0}, {2, 2, 3}};

  // Index 2 is between the parts: the first element behind one, the last before the other.
  EXPECT_EQ(slice("y", "2").region({before}).size(), 0);
  EXPECT_EQ(slice("y", "2").region({behind}).size(), 0);
  EXPECT_EQ(slice("y", "1").region({before}).size(), 6);
  EXPECT_EQ(slice("y", "3").region({behind}).size(), 6);
}

TEST(FieldSlicer, copies_elements_of_any_size) {
  // Truth values are bytes: at index 1 of y are 0 and 1.
  const std::vector<std::uint8_t> clouds = {1, 0, 0, 1, 1, 1};
  const Quantity cloudy{"w", Type::boolean, {{"y", 3}, {"x", 2}}};
  const Prepared slice =
      prepared("field_slicer", {{"field", "w"}, {"dimension", "y"}, {"index", "1"}}, {cloudy});
  std::vector<std::uint8_t> result = {7, 7, 7};

  slice.compute({{Type::boolean, clouds.data(), {{0, 0}, {3, 2}}}},
                {Type::boolean, result.data(), {{0}, {2}}});

  EXPECT_EQ(result, (std::vector<std::uint8_t>{0, 1, 7}));
}

TEST(FieldSlicer, refuses_what_is_not_there) {
  EXPECT_EQ(refusal("field_slicer", {{"field", "w"}, {"dimension", "t"}, {"index", "0"}}, {w()}),
            "dimension: \"w\" has no dimension \"t\"; it has z, y, x");
  EXPECT_EQ(refusal("field_slicer", {{"field", "w"}, {"dimension", "y"}, {"index", "5"}}, {w()}),
            "index: there is no index 5 in dimension \"y\", only 0 to 4");
}

}  // namespace
}  // namespace pileus::operators
