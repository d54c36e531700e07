// pileus_points: what C may hand it, and what it says of mistakes.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "capi/testing/test_directory.h"
#include "pileus/pileus.h"

namespace {

using pileus::testing::TestDirectory;

class CapiPoints : public testing::Test {
 protected:
  CapiPoints() {
    const std::string configuration = directory.configuration_path(), where = directory.path();
    pileus_settings settings = PILEUS_SETTINGS_INIT;
    settings.configuration = configuration.c_str();
    settings.directory = where.c_str();
    EXPECT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK) << error();
    pileus_dimension(run, "x", 4, nullptr, nullptr);
    pileus_dimension(run, "y", 3, nullptr, nullptr);
    pileus_dimension(run, "level", 2, nullptr, nullptr);
  }
  ~CapiPoints() override { pileus_free(run); }
  std::string error() const { return pileus_error(run); }

  TestDirectory directory{"<io-configuration/>"};
  pileus_run* run = nullptr;
  const char* dimensions[2] = {"x", "y"};
  const std::int64_t count[2] = {3, 2};
  const std::int64_t indices[6] = {11, 0, 2, 7, 3, -1};
};

TEST_F(CapiPoints, come_with_blocks_and_holes_and_carry_fields) {
  ASSERT_EQ(pileus_points(run, "cells", 2, dimensions, 2, count, indices, PILEUS_SHARED_POINTS), PILEUS_OK)
      << error();
  ASSERT_EQ(pileus_points(run, "none", 1, dimensions, 1, &indices[1], nullptr, 0), PILEUS_OK) << error();

  const char* const names[] = {"cells", "level", "cells"};
  const std::int64_t counts[] = {3, 2, 2};
  int field = -1;
  EXPECT_EQ(pileus_field(run, "t", PILEUS_DOUBLE, 3, names, nullptr, counts, &field), PILEUS_OK) << error();
  EXPECT_EQ(field, 0);
  EXPECT_EQ(pileus_field(run, "u", PILEUS_DOUBLE, 2, names, nullptr, counts, &field), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(),
            "pileus_field: field \"u\" names the points \"cells\" 1 time; name them 2 times, once for each "
            "of the counts that pileus_points was given");
}

TEST_F(CapiPoints, say_which_argument_is_wrong) {
  const auto points = [&](const char* name, int rank, const char* const* names, int local_rank,
                          const std::int64_t* counts, int flags) {
    EXPECT_EQ(pileus_points(run, name, rank, names, local_rank, counts, indices, flags), PILEUS_ERROR_USAGE);
    return error();
  };
  const char* const unnamed[] = {"x", nullptr};
  EXPECT_EQ(pileus_points(nullptr, "cells", 2, dimensions, 2, count, indices, 0), PILEUS_ERROR_USAGE);
  EXPECT_EQ(points(nullptr, 2, dimensions, 2, count, 0), "pileus_points: the name is NULL");
  EXPECT_EQ(points("cells", 2, nullptr, 2, count, 0), "pileus_points: the list of dimensions is NULL");
  EXPECT_EQ(points("cells", 2, unnamed, 2, count, 0), "pileus_points: the name of a dimension is NULL");
  EXPECT_EQ(points("cells", 7, dimensions, 2, count, 0), "pileus_points: the rank is 7; it may be 0 to 6");
  EXPECT_EQ(points("cells", 2, dimensions, -1, count, 0), "pileus_points: the rank is -1; it may be 0 to 6");
  EXPECT_EQ(points("cells", 2, dimensions, 2, nullptr, 0), "pileus_points: local_count is NULL");
  EXPECT_EQ(points("cells", 2, dimensions, 2, count, 6),
            "pileus_points: unknown flags 6; there is PILEUS_SHARED_POINTS");
  EXPECT_EQ(points("cells", 0, dimensions, 2, count, 0),
            "pileus_points: points \"cells\" have no dimensions; name those over which they are numbered");
  EXPECT_EQ(
      points("cells", 2, dimensions, 0, nullptr, 0),
      "pileus_points: points \"cells\" have no counts; give the extents of the arrays along the points");
  EXPECT_EQ(pileus_points(run, "cells", 1, dimensions, 2, count, indices, 0), PILEUS_ERROR_USAGE);
  EXPECT_EQ(
      error(),
      "pileus_points: points \"cells\": element 0 (0, 0) has the index 11; there are 4 points, numbered "
      "from 0");
  EXPECT_EQ(pileus_points(run, "cells", 2, dimensions, 2, count, nullptr, 0), PILEUS_ERROR_USAGE);
  EXPECT_EQ(error(), "pileus_points: points \"cells\": indices is NULL; give one for each element");
}

}  // namespace
