#include "publishing/chunks/packing.h"

#include <gtest/gtest.h>

#include <random>

#include "files/testing/small_plan.h"
#include "formats/testing/fake_format.h"
#include "publishing/chunks/pack_chunk.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

/// One compressed variable over x and y, of ranks that hold `regions`; compressed in pieces of 4 rows of the
/// file.
class Packed {
 public:
  Packed(std::vector<Index> extents, std::vector<Region> held, ServerRank servers, bool is_turned = false,
         Spread spread = Spread::distributed) {
    small.plan.layout = {static_cast<ClientRank>(held.size()), servers};
    const FileId file = small.file("f.nc", 10);
    small.plan.files[0].owner = servers - 1;
    const ScheduleId axis = small.axis(file, manipulations::none(), 0);
    const DimensionId x = small.dimension("x", extents[0]), y = small.dimension("y", extents[1]);
    w = small.variable("w", axis, spread, {x, y});
    small.plan.variables[0].storage.compression = {&codecs::deflate(), 1};
    if (is_turned) small.plan.variables[0].dimensions = {y, x};
    std::vector<std::vector<Region>> of_ranks;
    for (Region& region : held) of_ranks.push_back({std::move(region)});
    regions = RankRegions(of_ranks);
    format.rows_at_once = 4;
    packing = Packing(small.plan, format, regions);
  }

  /// The part of a rank: x + 1000 y, or of no value.
  Record part_of(ClientRank client, bool has_value = true) const {
    const Region region = regions[client][0];
    std::vector<double> values;
    for (Index y = region.start[1]; y < region.start[1] + region.count[1]; ++y) {
      for (Index x = region.start[0]; x < region.start[0] + region.count[0]; ++x) {
        values.push_back(static_cast<double>(x + 1000 * y));
      }
    }
    Record part{w, {1, 0, 0, 0, 0}, region, std::nullopt, nullptr};
    if (has_value) part.value = make_array(values, region.count);
    return part;
  }

  SmallPlan small;
  VariableId w;
  MemoryFiles disk;
  FakeFormat format{disk};
  RankRegions regions;
  Packing packing;
};

Region rows(Index first, Index count) { return {{0, first}, {10, count}}; }

TEST(PackingTest, a_chunk_is_made_of_the_parts_that_reach_into_it_by_one_who_holds_some) {
  // Chunks are rows 0-3, 4-7 and 8-11; the extents end at 9. Ranks hold rows 0-1, 2-4, 5-9, of two servers.
  const Packed run({10, 10}, {rows(0, 2), rows(2, 3), rows(5, 5), rows(10, 0)}, 2);
  const auto& chunks = run.packing.chunks(run.w);

  ASSERT_EQ(chunks.size(), 3U);
  const std::vector<std::vector<ClientRank>> expected = {{0, 1}, {1, 2}, {2}};
  for (std::uint32_t c = 0; c < 3; ++c) {
    EXPECT_EQ(chunks[c].region, rows(4 * c, 4));
    EXPECT_EQ(chunks[c].part_count, expected[c].size());
    std::vector<ClientRank> found;
    for (ClientRank client = 0; client < 4; ++client) {
      if (run.packing.has_part(run.w, c, client)) found.push_back(client);
    }
    EXPECT_EQ(found, expected[c]);
  }
  EXPECT_EQ(chunks[0].packer, 0U);  // ranks 0 and 1 are of server 0, 2 and 3 of server 1
  EXPECT_EQ(chunks[1].packer, 1U);  // which holds 3 of its 4 rows
  EXPECT_EQ(chunks[2].packer, 1U);
  EXPECT_EQ(run.packing.packers(FileId(0)), (std::set<ServerRank>{0, 1}));
}

TEST(PackingTest, a_chunk_of_a_coarser_level_is_made_of_the_rows_that_its_blocks_cover) {
  // 10 rows become 5, in chunks of 4: of rows 0-7 and 8-15. Ranks hold rows 0-1, 2-4, 5-9, of two servers.
  Packed run({10, 10}, {rows(0, 2), rows(2, 3), rows(5, 5), rows(10, 0)}, 2);
  Variable level = run.small.plan.variables[0];
  level.level = CoarseLevel{run.w, 1, {2, 2}};
  run.small.plan.levels.push_back(level);
  const VariableId id(1);
  run.packing = Packing(run.small.plan, run.format, run.regions);
  const auto& chunks = run.packing.chunks(id);

  ASSERT_EQ(chunks.size(), 2U);
  EXPECT_EQ(chunks[0].region, rows(0, 8));
  EXPECT_EQ(chunks[1].region, rows(8, 8));
  EXPECT_EQ(chunks[0].part_count, 3U);
  EXPECT_EQ(chunks[1].part_count, 1U);
  EXPECT_EQ(run.packing.chunks_with(id, 2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(run.packing.chunks_with(id, 0), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(run.packing.chunks(run.w).size(), 3U);
}

// Each rank of 32 768 told all 3277 servers that it had ended.
TEST(PackingTest, a_rank_that_ends_concerns_the_owner_and_who_compresses_parts_of_it) {
  // Chunks are rows 0-3, 4-7 and 8-11; each rank has a server, and the last server owns the file.
  const Packed run({10, 12}, {rows(0, 4), rows(4, 3), rows(7, 5), rows(12, 0)}, 4);

  const auto& packing = run.packing;
  EXPECT_EQ(packing.concerned_by(0), (std::set<ServerRank>{0, 3}));
  EXPECT_EQ(packing.concerned_by(1), (std::set<ServerRank>{1, 3}));
  EXPECT_EQ(packing.concerned_by(2), (std::set<ServerRank>{1, 2, 3})) << "server 1 has three of the rows 4-7";
  EXPECT_EQ(packing.concerned_by(3), (std::set<ServerRank>{3})) << "it holds nothing";
  EXPECT_EQ(Packing().concerned_by(0), std::set<ServerRank>());
}

TEST(PackingTest, servers_that_hold_as_much_take_turns) {
  // Ranks hold columns, so that both servers hold half of each chunk.
  const Packed run({10, 16}, {{{0, 0}, {5, 16}}, {{5, 0}, {5, 16}}}, 2);

  std::vector<int> made(2, 0);
  for (const Packing::Chunk& chunk : run.packing.chunks(run.w)) ++made[chunk.packer];
  EXPECT_EQ(made, (std::vector<int>{2, 2}));
}

TEST(PackingTest, what_is_not_distributed_is_compressed_by_the_owner) {
  const Packed run({10, 10}, {rows(0, 2), rows(2, 8)}, 2, false, Spread::rooted);

  for (std::uint32_t c = 0; c < 3; ++c) {
    EXPECT_EQ(run.packing.chunks(run.w)[c].packer, 1U);
    EXPECT_EQ(run.packing.chunks(run.w)[c].part_count, 1U);
    EXPECT_TRUE(run.packing.has_part(run.w, c, 0));
  }
}

TEST(PackingTest, a_chunk_that_nobody_holds_has_the_part_of_the_first_rank_that_holds_anything) {
  const Packed run({10, 10}, {rows(0, 0), rows(0, 3), rows(8, 2)}, 3);

  EXPECT_EQ(run.packing.chunks(run.w)[1].stand_in, ClientRank{1});
  EXPECT_EQ(run.packing.chunks(run.w)[1].packer, 1U);
  EXPECT_TRUE(run.packing.has_part(run.w, 1, 1));
  EXPECT_FALSE(run.packing.has_part(run.w, 1, 0));
  EXPECT_FALSE(run.packing.has_part(run.w, 1, 2));
}

TEST(PackingTest, no_rank_may_hold_anything_at_all) {
  const Packed run({10, 4}, {rows(0, 0), rows(0, 0)}, 2);

  ASSERT_EQ(run.packing.chunks(run.w).size(), 1U);
  EXPECT_TRUE(run.packing.has_part(run.w, 0, 0));
  EXPECT_FALSE(run.packing.has_part(run.w, 0, 1));
}

/// A domain cut into columns and rows at random places; some of the parts are empty.
std::vector<Region> random_parts(std::mt19937& random, Index nx, Index ny) {
  const auto cuts = [&](Index n) {
    std::vector<Index> at = {0, n};
    for (int i = 0; i < 3; ++i) at.push_back(static_cast<Index>(random() % static_cast<unsigned>(n + 1)));
    std::ranges::sort(at);
    return at;
  };
  const std::vector<Index> x = cuts(nx), y = cuts(ny);
  std::vector<Region> parts;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    for (std::size_t j = 0; j + 1 < y.size(); ++j) {
      parts.push_back({{x[i], y[j]}, {x[i + 1] - x[i], y[j + 1] - y[j]}});
    }
  }
  return parts;
}

/// The chunks of the variable, with its parts in one piece each where `is_cut` is false.
std::vector<std::vector<std::byte>> chunks_of(const Packed& run, bool is_cut, ClientRank absent) {
  const ValueLayout layout = value_layout(run.small.plan, run.w);
  std::vector<std::vector<std::byte>> bytes;
  for (std::uint32_t c = 0; c < run.packing.chunks(run.w).size(); ++c) {
    const Region& region = run.packing.chunks(run.w)[c].region;
    std::vector<Record> parts;
    for (ClientRank client = 0; client < run.regions.size(); ++client) {
      if (!run.packing.has_part(run.w, c, client)) continue;
      const Record part = run.part_of(client, client != absent);
      parts.push_back(is_cut ? slice_for_chunk(part, layout, region) : part);
    }
    bytes.push_back(pack_chunk(run.format, parts, layout, region, {0, 0, {&codecs::deflate(), 1}}, 0).bytes);
  }
  return bytes;
}

TEST(PackingTest, parts_that_were_cut_give_the_chunks_of_the_whole_domain_at_random_cuts) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Index nx = 1 + static_cast<Index>(random() % 9), ny = 1 + static_cast<Index>(random() % 13);
    const bool is_turned = i % 2 == 0;
    const Packed whole({nx, ny}, {{{0, 0}, {nx, ny}}}, 1, is_turned);
    const Packed run({nx, ny}, random_parts(random, nx, ny), 1 + static_cast<ServerRank>(i % 4), is_turned);

    EXPECT_EQ(chunks_of(run, true, 99), chunks_of(whole, false, 99)) << i;
    EXPECT_EQ(chunks_of(run, false, 99), chunks_of(whole, false, 99)) << i;
    EXPECT_EQ(chunks_of(run, true, 3), chunks_of(run, false, 3)) << i;
  }
}

}  // namespace
}  // namespace pileus::testing
