// What registration makes of points and of fields on them, and how it refuses mistakes one by one.

#include <gtest/gtest.h>

#include <limits>

#include "client/registration.h"
#include "client/testing/fake_server.h"

namespace pileus {
namespace {

/// A domain of 4 x 3 points and 5 levels. This rank holds 5 points in two blocks of 3.
class RegisterPoints : public testing::Test {
 protected:
  RegisterPoints() {
    registration.dimension({"x", 4, {}, ""});
    registration.dimension({"y", 3, {}, ""});
    registration.dimension({"level", 5, {}, ""});
  }
  void register_cells() { registration.points({"cells", {"x", "y"}}, {3, 2}, kBlocks); }
  std::string refusal(ModelPoints points, const Extents& counts = {3, 2}, const Index* indices = kBlocks) {
    const RankDescription before = registration.description();
    const std::string text = complaint([&] { registration.points(std::move(points), counts, indices); });
    EXPECT_EQ(registration.description().points, before.points);
    return text;
  }
  static ModelField field_over(std::vector<std::string> dimensions, std::vector<Index> start,
                               std::vector<Index> count) {
    return {"t", ElementType::float64, std::move(dimensions), {std::move(start), std::move(count)}};
  }
  std::string refusal_of_field(std::vector<std::string> dimensions, std::vector<Index> start,
                               std::vector<Index> count) {
    const RankDescription before = registration.description();
    const std::string text = complaint([&] { registration.field(field_over(dimensions, start, count)); });
    EXPECT_EQ(registration.description().fields, before.fields);
    return text;
  }

  static constexpr Index kBlocks[] = {11, 0, 2, 7, 3, -1};
  Registration registration;
};

TEST_F(RegisterPoints, keeps_what_is_the_same_on_all_ranks_apart_from_what_this_one_holds) {
  register_cells();
  registration.points({"land", {"y"}, true}, {0}, nullptr);

  const RankDescription& description = registration.description();
  EXPECT_EQ(description.points,
            (std::vector<ModelPoints>{{"cells", {"x", "y"}, false}, {"land", {"y"}, true}}));
  EXPECT_EQ(registration.take_point_indices(),
            (std::vector<IndexRanges>{{{0, 1}, {2, 2}, {7, 1}, {11, 1}}, {}}));
}

TEST_F(RegisterPoints, gives_a_field_the_dimensions_of_its_points_where_it_names_them_first) {
  register_cells();
  registration.field(field_over({"cells", "level", "cells"}, {0, 0, 0}, {3, 5, 2}));
  registration.field({"s", ElementType::float32, {"level", "cells", "cells"}, {{}, {5, 3, 2}}});
  registration.field({"m", ElementType::int32, {"cells", "cells"}, {{}, {3, 2}}});

  EXPECT_EQ(registration[0].dimensions, (std::vector<std::string>{"x", "y", "level"}));
  EXPECT_EQ(registration[0].region, (Region{{0, 0, 0}, {5, 1, 5}}));
  EXPECT_EQ(registration[0].points, 0U);
  EXPECT_EQ(registration.own_array(0).counts, (Extents{3, 5, 2}));
  EXPECT_EQ(registration.own_array(0).along, 0b101U);
  EXPECT_EQ(registration[1].dimensions, (std::vector<std::string>{"level", "x", "y"}));
  EXPECT_EQ(registration[1].region, (Region{{0, 0, 0}, {5, 5, 1}}));
  EXPECT_EQ(registration.own_array(1).along, 0b110U);
  EXPECT_EQ(registration[2].region, (Region{{0, 0}, {5, 1}}));
  EXPECT_EQ(registration.points_of(2).size, 5);
}

TEST_F(RegisterPoints, leaves_boxes_as_they_are) {
  register_cells();
  registration.field(field_over({"x", "level"}, {1, 0}, {2, 5}));

  EXPECT_EQ(registration[0].points, std::nullopt);
  EXPECT_EQ(registration.own_array(0).counts, (Extents{2, 5}));
  EXPECT_EQ(registration.own_array(0).along, 0U);
}

TEST_F(RegisterPoints, takes_a_rank_without_points_and_its_fields) {
  registration.points({"cells", {"x", "y"}}, {0}, nullptr);
  registration.field(field_over({"cells", "level"}, {}, {0, 5}));

  EXPECT_EQ(registration[0].region, (Region{{0, 0, 0}, {0, 1, 5}}));
}

TEST_F(RegisterPoints, refuses_names_that_are_taken) {
  register_cells();
  EXPECT_EQ(refusal({"", {"x"}}), "pileus_points: the name is empty; give the points a name");
  EXPECT_EQ(refusal({"cells", {"x"}}),
            "pileus_points: points \"cells\" are registered already; register them once");
  EXPECT_EQ(refusal({"x", {"y"}}),
            "pileus_points: points \"x\" have the name of a dimension; give them another one");
  EXPECT_EQ(complaint([&] {
              registration.dimension({"cells", 3, {}, ""});
            }),
            "pileus_dimension: dimension \"cells\" has the name of points; give it another one");
}

TEST_F(RegisterPoints, refuses_dimensions_that_cannot_number_points) {
  EXPECT_EQ(refusal({"cells", {}}),
            "pileus_points: points \"cells\" have no dimensions; name those over which they are numbered");
  EXPECT_EQ(refusal({"cells", {"x", "levle"}}),
            "pileus_points: points \"cells\": dimension 2 (\"levle\") is not registered; call "
            "pileus_dimension for it first; did you mean \"level\"?");
  EXPECT_EQ(refusal({"cells", {"x", "y", "x"}}),
            "pileus_points: points \"cells\": dimension 3 (\"x\") is named twice; name each once");
  EXPECT_EQ(refusal({"cells", {"a", "b", "c", "d", "e", "f", "g"}}),
            "pileus_points: points \"cells\" have 7 dimensions; at most 6 are possible");
  registration.dimension({"huge", std::numeric_limits<Index>::max() / 4, {}, ""});
  EXPECT_EQ(refusal({"cells", {"x", "huge"}}),
            "pileus_points: points \"cells\": the dimensions have more points than can be counted");
}

TEST_F(RegisterPoints, refuses_counts_and_indices_that_cannot_be) {
  EXPECT_EQ(
      refusal({"cells", {"x"}}, {}),
      "pileus_points: points \"cells\" have no counts; give the extents of the arrays along the points");
  EXPECT_EQ(refusal({"cells", {"x"}}, {3, -2}),
            "pileus_points: points \"cells\": local dimension 2 has a count of -2; it must not be negative");
  EXPECT_EQ(refusal({"cells", {"x"}}, {1 << 16, 1 << 15}),
            "pileus_points: points \"cells\" have more than 2147483647 elements on this rank; share them out "
            "among more ranks");
  EXPECT_EQ(refusal({"cells", {"x"}}, {2}, nullptr),
            "pileus_points: points \"cells\": indices is NULL; give one for each element");
  EXPECT_EQ(refusal({"cells", {"x", "level"}}, {2}, std::vector<Index>{19, 20}.data()),
            "pileus_points: points \"cells\": element 1 has the index 20; there are 20 points, numbered from "
            "0");
}

TEST_F(RegisterPoints, refuses_a_field_with_other_counts_than_its_points) {
  register_cells();
  EXPECT_EQ(
      refusal_of_field({"cells", "level", "cells"}, {}, {3, 5, 3}),
      "pileus_field: field \"t\": dimension 3 (\"cells\") has a count of 3, and pileus_points was given "
      "2 there");
  EXPECT_EQ(
      refusal_of_field({"cells", "level"}, {}, {3, 5}),
      "pileus_field: field \"t\" names the points \"cells\" 1 time; name them 2 times, once for each of "
      "the counts that pileus_points was given");
  EXPECT_EQ(refusal_of_field({"cells", "cells", "cells"}, {}, {3, 2, 2}),
            "pileus_field: field \"t\" names the points \"cells\" 3 times; name them 2 times, once for each "
            "of the counts that pileus_points was given");
  EXPECT_EQ(
      refusal_of_field({"cells", "cells"}, {0, 1}, {3, 2}),
      "pileus_field: field \"t\": dimension 2 (\"cells\") starts at 1; which points this rank holds was "
      "given to pileus_points: start at 0");
}

TEST_F(RegisterPoints, refuses_a_field_whose_other_dimensions_do_not_fit) {
  register_cells();
  EXPECT_EQ(refusal_of_field({"cells", "cells", "level"}, {0, 0, 1}, {3, 2, 4}),
            "pileus_field: field \"t\": dimension 3 (\"level\"): the part from 1 with 4 of 5 values; a field "
            "on points has all of every other dimension on each rank");
  EXPECT_EQ(refusal_of_field({"cells", "cells", "levle"}, {}, {3, 2, 5}),
            "pileus_field: field \"t\": dimension 3 (\"levle\") is not registered; call pileus_dimension for "
            "it first; did you mean \"level\"?");
  EXPECT_EQ(refusal_of_field({"cells", "cells", "y"}, {}, {3, 2, 3}),
            "pileus_field: field \"t\": dimension 3 (\"y\") is one of those over which the points \"cells\" "
            "are numbered; name the points in its place");
  EXPECT_EQ(refusal_of_field({"cell"}, {}, {3}),
            "pileus_field: field \"t\": dimension 1 (\"cell\") is not registered; call pileus_dimension for "
            "it first; did you mean \"cells\"?");
  registration.points({"rows", {"y"}}, {1}, kBlocks + 2);
  EXPECT_EQ(refusal_of_field({"cells", "rows", "cells"}, {}, {3, 1, 2}),
            "pileus_field: field \"t\": dimension 2 (\"rows\") is of other points than \"cells\"; a field "
            "lies on those of one set");
}

TEST_F(RegisterPoints, refuses_a_field_with_more_dimensions_than_there_can_be) {
  register_cells();
  for (const char* name : {"a", "b", "c", "d"}) registration.dimension({name, 1, {}, ""});
  ModelField most = field_over({"cells", "cells", "a", "b", "c", "d"}, {}, {3, 2, 1, 1, 1, 1});
  most.name = "most";
  EXPECT_EQ(registration.field(most), 0);
  registration.points({"volume", {"x", "y", "level"}}, {1}, kBlocks);
  EXPECT_EQ(refusal_of_field({"volume", "a", "b", "c", "d"}, {}, {1, 1, 1, 1, 1}),
            "pileus_field: field \"t\" has more than 6 dimensions with the 3 of its points \"volume\"");
}

TEST_F(RegisterPoints, refuses_texts_and_maps_on_points) {
  register_cells();
  const std::string text =
      " holds texts, which cannot lie on points, as \"cells\"; name a dimension in their place";
  EXPECT_EQ(complaint([&] {
              registration.text_field({"names", ElementType::character, {"cells"}, {{}, {6}}}, 8);
            }),
            "pileus_field: field \"names\"" + text);
  EXPECT_EQ(complaint([&] { registration.map_field("options", 8, "cells"); }),
            "pileus_field: field \"options\"" + text);
  registration.points({"string_8", {"x"}}, {0}, nullptr);
  EXPECT_EQ(complaint([&] {
              registration.text_field({"case", ElementType::character, {}, {}}, 8);
            }),
            "pileus_field: field \"case\" of texts needs the dimension \"string_8\", but points have that "
            "name; give them another one");
  EXPECT_EQ(registration.description().dimensions.size(), 3U);
}

}  // namespace
}  // namespace pileus
