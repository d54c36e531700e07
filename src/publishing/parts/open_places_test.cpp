#include "publishing/parts/open_places.h"

#include <gtest/gtest.h>

#include "disk/testing/memory_files.h"
#include "files/testing/small_plan.h"
#include "formats/testing/fake_format.h"
#include "publishing/parts/testing/part_records.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

/// A file with the variables w, which is compressed, and v, and m, which only another server writes.
class OpenPlacesTest : public ::testing::Test {
 protected:
  OpenPlacesTest() {
    small.plan.layout = {kClients, 2};
    const FileId file = small.file("f.nc", 10);
    const ScheduleId axis = small.axis(file, manipulations::instantaneous(), 5);
    const DimensionId x = small.dimension("x", 4), y = small.dimension("y", 4);
    small.variable("w", axis, Spread::distributed, {x, y});
    small.variable("v", axis, Spread::distributed, {x, y});
    small.variable("m", axis, Spread::rooted, {});
    small.plan.variables[0].storage.compression = {&codecs::deflate(), 1};
    format.rows_at_once = 3;
    packing = Packing(small.plan, format, regions);
    Share share{{0, 1, 2, 3}, {false}, false, &regions};
    share.packing = &packing;
    own.emplace(small.plan, std::move(share));
    places.emplace(*own, key);
  }

  static Placement placed(Index first, Index records) {
    Placement placement{key, 0, {first, records, {{1, {}}, {2, {}}}, {}, {}}};
    for (Index r = first; r < first + records; ++r) {
      const auto at = static_cast<std::uint64_t>(r) * 200;
      placement.growth.variables[0].second.push_back({{{at, {{0, 0}, {4, 4}}}}});
      placement.growth.variables[1].second.push_back({{{at + 128, {{}, {}}}}});
    }
    return placement;
  }

  static constexpr FilePeriod key{FileId(0), 1};
  SmallPlan small;
  MemoryFiles disk;
  FakeFormat format{disk};
  RankRegions regions = regions_of_quarters();
  Packing packing;
  std::optional<OwnPieces> own;
  std::optional<OpenPlaces> places;
};

TEST_F(OpenPlacesTest, are_kept_until_each_record_of_this_server_is_written) {
  places->add(placed(0, 3));
  places->add(placed(3, 2));
  EXPECT_EQ(places->size(), 2U);
  EXPECT_EQ(places->of({1, 4})->blocks.front().offset, 800U);
  EXPECT_FALSE(places->has({1, 5}));

  for (const Index record : {1, 3, 0}) places->set_written({1, record});
  EXPECT_EQ(places->size(), 2U);
  places->set_written({1, 2});
  EXPECT_EQ(places->size(), 1U);
  EXPECT_TRUE(places->has({1, 4}));
  places->set_written({1, 4});
  EXPECT_EQ(places->size(), 0U);
}

TEST_F(OpenPlacesTest, are_none_of_compressed_variables_which_use_none_up) {
  places->add(placed(0, 2));
  EXPECT_FALSE(places->has({0, 0, 1}));

  for (const Index record : {0, 1}) {
    for (const std::uint32_t chunk : {0U, 1U}) places->set_written({0, record, chunk});
  }

  EXPECT_TRUE(places->has({1, 0}));
  EXPECT_TRUE(places->has({1, 1}));
}

}  // namespace
}  // namespace pileus::testing
