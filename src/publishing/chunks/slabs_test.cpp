#include "publishing/chunks/slabs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "files/testing/small_plan.h"
#include "formats/format.h"
#include "formats/testing/fake_format.h"
#include "publishing/chunks/packing.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

constexpr Index kRow = OnDisk::kAlignedFrom / 8;  // elements

std::vector<Region> slabs_of(const std::vector<Index>& extents, Index most) {
  return slab_regions(extents, 8, most, OnDisk::kAlignedFrom);
}

TEST(Slabs, are_bands_of_the_slowest_dimension) {
  const std::vector<Region> slabs = slabs_of({kRow, 10}, 4);

  ASSERT_EQ(slabs.size(), 4U);
  EXPECT_EQ(slabs[0], (Region{{0, 0}, {kRow, 2}}));
  EXPECT_EQ(slabs[1], (Region{{0, 2}, {kRow, 3}}));
  EXPECT_EQ(slabs[3], (Region{{0, 7}, {kRow, 3}}));
}

TEST(Slabs, cut_the_slices_of_a_short_dimension_further) {
  // 3 levels for 8 writers: each level is cut in two.
  const std::vector<Region> slabs = slabs_of({kRow, 8, 3}, 8);

  ASSERT_EQ(slabs.size(), 6U);
  EXPECT_EQ(slabs[1], (Region{{0, 4, 0}, {kRow, 4, 1}}));
  EXPECT_EQ(slabs[2], (Region{{0, 0, 1}, {kRow, 4, 1}}));
  EXPECT_EQ(slabs_of({kRow, 8, 1}, 8).size(), 8U) << "one level";
}

TEST(Slabs, of_little_are_few) {
  EXPECT_EQ(slabs_of({kRow, 3}, 8).size(), 3U);
  EXPECT_EQ(slabs_of({kRow / 2, 7}, 8).size(), 3U);
  EXPECT_EQ(slabs_of({10, 10}, 8), (std::vector<Region>{{{0, 0}, {10, 10}}}));
  EXPECT_EQ(slabs_of({}, 8), (std::vector<Region>{{{}, {}}}));
}

TEST(Slabs, are_each_one_stretch_of_a_record_and_together_all_of_it) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::vector<Index> extents;
    for (std::size_t d = random() % 4; d > 0; --d) extents.push_back(1 + static_cast<Index>(random() % 90));
    const Index most = 1 + static_cast<Index>(random() % 20);

    const std::vector<Region> slabs = slab_regions(extents, 8, most, 1 + static_cast<Index>(random() % 1000));

    EXPECT_LE(std::ssize(slabs), most);
    std::uint64_t end = 0;
    const RecordPlacement whole{{Block{0, {std::vector<Index>(extents.size(), 0), extents}}}};
    for (const Region& slab : slabs) {
      const std::vector<FileStretch> stretches = stretches_of(whole, slab, 8);
      ASSERT_EQ(stretches.size(), 1U) << i;
      EXPECT_EQ(stretches[0].file_offset, end) << i;
      end += stretches[0].length;
    }
    EXPECT_EQ(end, static_cast<std::uint64_t>(whole.blocks[0].region.size()) * 8) << i;
  }
}

/// A file of variables over x, y and z, of ranks that hold rows of y; each server has as many.
class Shared {
 public:
  Shared(ServerRank servers, ClientRank ranks, std::int64_t writers) {
    small.plan.layout = {ranks, servers};
    file = small.file("f.nc", 10);
    small.plan.files[0].owner = servers - 1;
    small.plan.files[0].on_disk.writers = writers;
    axis = small.axis(file, manipulations::none(), 0);
    x = small.dimension("x", kRow);
    y = small.dimension("y", kRows);
    z = small.dimension("z", 8);
  }
  /// With z, which no rank holds a part of, or without.
  VariableId add(const char* name, bool has_levels) {
    std::vector<DimensionId> dimensions = {x, y};
    if (has_levels) dimensions.push_back(z);
    const VariableId id = small.variable(name, axis, Spread::distributed, dimensions);
    std::vector<Region> held;
    for (ClientRank rank = 0; rank < small.plan.layout.clients; ++rank) {
      const Index first = kRows * rank / small.plan.layout.clients;
      Region& region = held.emplace_back(
          Region{{0, first}, {kRow, kRows * (rank + 1) / small.plan.layout.clients - first}});
      if (has_levels) region.add(IndexSet(0, 8));
    }
    columns.push_back(std::make_shared<const RankColumn>(held));
    return id;
  }
  Packing packing() {
    regions = RankRegions(small.plan.layout.clients);
    for (const auto& column : columns) regions.add(column);
    return {small.plan, format, regions};
  }
  static std::vector<ServerRank> writers(const Packing& packing, VariableId id) {
    std::vector<ServerRank> found;
    for (const Packing::Chunk& slab : packing.chunks(id)) found.push_back(slab.packer);
    return found;
  }

  static constexpr Index kRows = 40;
  SmallPlan small;
  MemoryFiles disk;
  FakeFormat format{disk};
  FileId file;
  ScheduleId axis;
  DimensionId x, y, z;
  std::vector<RankRegions::Column> columns;
  RankRegions regions;
};

TEST(Slabs, of_all_variables_of_a_file_have_the_same_few_writers) {
  Shared shared(10, 20, 4);
  const VariableId ground = shared.add("ground", false), w = shared.add("w", true);
  const VariableId theta = shared.add("theta", true);
  const Packing packing = shared.packing();

  const std::vector<ServerRank> of_w = Shared::writers(packing, w);
  EXPECT_EQ(of_w, (std::vector<ServerRank>{9, 3, 6, 8})) << "the owner, and others spread over the servers";
  EXPECT_EQ(packing.packers(shared.file), (std::set<ServerRank>{3, 6, 8, 9}));
  for (const VariableId id : {ground, theta}) {
    std::vector<ServerRank> writers = Shared::writers(packing, id);
    ASSERT_EQ(writers.size(), 4U);
    std::ranges::sort(writers);
    EXPECT_EQ(writers, (std::vector<ServerRank>{3, 6, 8, 9}));
  }
}

TEST(Slabs, are_written_by_servers_that_hold_much_of_them) {
  Shared shared(4, 4, 4);
  const VariableId ground = shared.add("ground", false);

  EXPECT_EQ(Shared::writers(shared.packing(), ground), (std::vector<ServerRank>{0, 1, 2, 3}));
}

TEST(Slabs, of_several_files_are_shared_by_all_servers) {
  Shared shared(4, 8, 1);
  const VariableId w = shared.add("w", true);
  std::set<ServerRank> writers = {Shared::writers(shared.packing(), w)[0]};
  for (int n = 0; n < 3; ++n) {
    const FileId other = shared.small.file("g" + std::to_string(n) + ".nc", 10);
    shared.small.plan.files.back().owner = 3;
    shared.small.plan.files.back().on_disk.writers = 1;
    shared.axis = shared.small.axis(other, manipulations::none(), 0);
    const VariableId id = shared.add("v", true);
    writers.insert(Shared::writers(shared.packing(), id)[0]);
  }
  EXPECT_EQ(writers, (std::set<ServerRank>{0, 1, 2, 3}));
}

TEST(Slabs, are_none_where_there_is_enough_for_all_or_one_server) {
  const auto slabs = [](ServerRank servers, std::int64_t writers, bool are_by_size) {
    Shared shared(servers, 8, writers);
    shared.small.plan.files[0].on_disk.are_writers_by_size = are_by_size;
    const VariableId w = shared.add("w", true);
    return shared.packing().chunks(w).size();
  };
  EXPECT_EQ(slabs(4, 4, true), 0U);
  EXPECT_EQ(slabs(4, 4, false), 4U);
  EXPECT_EQ(slabs(4, 9, false), 4U);
  EXPECT_EQ(slabs(4, 3, true), 3U);
  EXPECT_EQ(slabs(1, 3, false), 0U);
  EXPECT_EQ(slabs(4, 0, false), 0U);
}

TEST(Slabs, what_travels_is_what_others_write) {
  Shared shared(4, 8, 2);
  const VariableId w = shared.add("w", true);
  const Packing packing = shared.packing();

  Index away = 0, all = 0;
  for (const PartOfSlab& part : packing.parts_of_slabs(w)) {
    EXPECT_NE(part.from, part.writer);
    away += part.elements;
  }
  for (const Packing::Chunk& slab : packing.chunks(w)) all += slab.region.size();
  // Each of the two writers holds a quarter of its half, and gets the rest.
  EXPECT_EQ(away, all - 2 * all / 8);
}

}  // namespace
}  // namespace pileus::testing
