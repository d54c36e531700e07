// PartWriter where variables are compressed: by whom, and what becomes of chunks that lack something.

#include <gtest/gtest.h>

#include <cstring>

#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "files/testing/small_plan.h"
#include "formats/testing/fake_format.h"
#include "publishing/parts/part_writer.h"
#include "publishing/parts/testing/part_records.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

/// The same four ranks; w is compressed in two chunks of three rows each, the last of which reaches past the
/// extents. Every server has what Publishing gives it.
class Packers : private FileOwners {
 public:
  Packers(ServerRank count, std::uint64_t seed) : executor(seed) {
    small.plan.layout = {kClients, count};
    const FileId file = small.file("f.nc", 10);
    const ScheduleId axis = small.axis(file, manipulations::instantaneous(), 5);
    small.variable("w", axis, Spread::distributed, {small.dimension("x", 4), small.dimension("y", 4)});
    small.plan.variables[0].storage.compression = {&codecs::deflate(), 1};
    format.rows_at_once = 3;
    packing = Packing(small.plan, format, regions);
    for (ServerRank server = 0; server < count; ++server) add_writer(server);
  }

  /// Each part goes, whole or cut, to those who compress a chunk of it.
  void send(Record part, ClientRank client) {
    const ValueLayout layout = value_layout(small.plan, VariableId(0));
    for (std::uint32_t c = 0; c < 2; ++c) {
      if (!packing.has_part(VariableId(0), c, client)) continue;
      const Packing::Chunk& chunk = packing.chunks(VariableId(0))[c];
      const bool is_cut = small.plan.layout.server_of(client) != chunk.packer;
      Record sent = is_cut ? slice_for_chunk(part, layout, chunk.region) : part;
      executor.submit([this, sent, client, c, server = chunk.packer] {
        homes[server]->post([this, sent, client, c, server] { writers[server]->add(sent, client, c); });
      });
    }
  }
  void tell_all(const std::function<void(PartWriter&)>& what) {
    for (std::size_t i = 0; i < writers.size(); ++i) {
      executor.submit([this, i, what] { homes[i]->post([this, i, what] { what(*writers[i]); }); });
    }
  }
  /// The compressed chunks, by record and chunk.
  using Chunks = std::map<std::pair<Index, std::uint32_t>, std::vector<std::byte>>;

  SmallPlan small;
  SeededExecutor executor;
  MemoryFiles disk;
  FakeFormat format{disk};
  FileNames names{small.plan, {"id", "today"}, "out"};
  RankRegions regions = regions_of_quarters();
  Packing packing;
  std::vector<std::unique_ptr<Strand>> homes;
  std::vector<std::unique_ptr<PartWriter>> writers;
  Chunks chunks;
  std::vector<PartsDone> done;
  struct Workers : Executor {
    explicit Workers(Executor& executor) : on(executor) {}
    void submit(Task task) override {
      ++packing_under_way;
      on.submit(std::move(task));
    }
    bool is_idle() const override { return on.is_idle(); }
    Executor& on;
    int packing_under_way = 0;
  } workers{executor};

 private:
  void parts_done(PartsDone parts) override { done.push_back(std::move(parts)); }
  void cut_synced(CutSynced /*cut*/) override {}
  void packed(PackedPart part) override {
    EXPECT_TRUE(chunks.emplace(std::pair(part.record, part.chunk), part.packed.bytes).second);
  }
  void add_writer(ServerRank server) {
    Share share{{}, {server == 0}, false, &regions};
    for (ClientRank client = 0; client < kClients; ++client) {
      if (small.plan.layout.server_of(client) == server) share.clients.push_back(client);
    }
    share.self = server;
    share.packing = &packing;
    homes.push_back(std::make_unique<Strand>(executor));
    const WriterMeans means{disk, format, *homes.back(), workers, executor};
    writers.push_back(
        std::make_unique<PartWriter>(small.plan, share, names, means, static_cast<FileOwners&>(*this)));
  }
};

/// Rows 0-2, then row 3 and two rows of zeros past the extents. `filled`: elements without a value.
std::vector<double> chunk_of(Index record, std::uint32_t chunk, const std::set<Index>& filled = {}) {
  std::vector<double> values(12, 0);
  for (Index i = 0; i < (chunk == 0 ? 12 : 4); ++i) {
    const Index element = 12 * chunk + i;
    values[static_cast<std::size_t>(i)] =
        filled.contains(element) ? 9.9692099683868690e+36 : static_cast<double>(100 * record + element);
  }
  return values;
}

TEST(PackedParts, any_order_and_any_number_of_servers_compress_the_same_chunks_once) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Packers run(1 + static_cast<ServerRank>(seed % 4), seed);
    for (Index record = 0; record < 3; ++record) {
      for (ClientRank client = 0; client < kClients; ++client) run.send(part_of_w(record, client), client);
    }
    run.tell_all([](PartWriter& writer) { writer.close(closed(3)); });
    run.executor.run_until_idle();

    ASSERT_EQ(run.chunks.size(), 6U) << "seed " << seed;
    for (const auto& [place, bytes] : run.chunks) {
      ASSERT_EQ(as_numbers(bytes), chunk_of(place.first, place.second)) << "seed " << seed;
    }
    ASSERT_EQ(run.done.size(), run.writers.size());
    for (const PartsDone& done : run.done) EXPECT_EQ(done.error, "");
    for (const auto& writer : run.writers) EXPECT_FALSE(writer->has_open_files());
  }
}

TEST(PackedParts, chunks_that_lack_parts_of_an_ended_rank_are_filled_and_the_rank_is_named_once) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Packers run(1 + static_cast<ServerRank>(seed % 4), seed);
    for (Index record = 0; record < 2; ++record) {
      // Rank 2 has y = 2 and 3 at x = 0 and 1, so it has a part in both chunks; it sends one record of two.
      for (ClientRank client : {0U, 1U, 3U}) run.send(part_of_w(record, client), client);
    }
    run.send(part_of_w(0, 2), 2);
    run.executor.run_until_idle();
    run.tell_all([](PartWriter& writer) { writer.end_client(2); });
    run.tell_all([](PartWriter& writer) { writer.close(closed(2)); });
    run.executor.run_until_idle();

    ASSERT_EQ(run.chunks.size(), 4U) << "seed " << seed;
    for (std::uint32_t chunk : {0U, 1U}) {
      EXPECT_EQ(as_numbers(run.chunks[{0, chunk}]), chunk_of(0, chunk));
      EXPECT_EQ(as_numbers(run.chunks[{1, chunk}]), chunk_of(1, chunk, {8, 9, 12, 13}));
    }
    std::vector<MissingPart> missing;
    for (const PartsDone& done : run.done) {
      missing.insert(missing.end(), done.missing.begin(), done.missing.end());
    }
    ASSERT_EQ(missing.size(), 1U) << "seed " << seed;
    EXPECT_EQ(missing[0], (MissingPart{0, 2, {{0, 2}, {2, 2}}, 1}));
  }
}

TEST(PackedParts, a_chunk_that_cannot_be_compressed_fails_the_file_and_gives_its_parts_back) {
  Packers run(1, 0);
  run.format.is_packing_broken = true;
  MemoryOfParts memory;
  for (ClientRank client = 0; client < kClients; ++client) {
    run.send(memory.given_to(part_of_w(0, client)), client);
  }
  run.executor.run_until_idle();
  EXPECT_TRUE(memory.is_back());
  ASSERT_EQ(run.done.size(), 1U);  // before the file closes, so that the others stop too
  run.tell_all([](PartWriter& writer) { writer.close(closed(1)); });
  run.executor.run_until_idle();

  EXPECT_TRUE(run.chunks.empty());
  ASSERT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.done[0].error, "no memory to compress");
}

TEST(PackedParts, a_chunk_of_which_nothing_came_is_filled_as_soon_as_its_record_is_certain) {
  for (bool is_ended_first : {false, true}) {
    Packers run(2, 1);
    const auto end = [&] {
      for (ClientRank client = 0; client < kClients; ++client) {
        run.tell_all([client](PartWriter& writer) { writer.end_client(client); });
      }
      run.executor.run_until_idle();
    };
    if (is_ended_first) end();
    EXPECT_TRUE(run.chunks.empty());
    run.tell_all([](PartWriter& writer) { writer.progress({{FileId(0), 1}, 0, 2, 0}); });
    run.executor.run_until_idle();
    EXPECT_EQ(run.chunks.size(), is_ended_first ? 4U : 0U);
    if (!is_ended_first) end();

    EXPECT_EQ(run.chunks.size(), 4U);
    run.tell_all([](PartWriter& writer) { writer.close(closed(2)); });
    run.executor.run_until_idle();
    EXPECT_EQ(run.done.size(), 2U);
  }
}

TEST(PackedParts, says_which_ranks_a_chunk_lacks_and_that_others_are_being_compressed) {
  Packers run(1, 0);
  for (ClientRank client : {0U, 1U}) run.send(part_of_w(0, client), client);
  run.executor.run_until_idle();
  PartWriter& writer = *run.writers[0];
  EXPECT_EQ(
      texts_of(writer.waits()),
      std::vector<std::string>{"f.nc, period 1: record 0 of w at 0 s lacks the parts of model ranks 2, 3"});

  for (ClientRank client : {2U, 3U}) run.send(part_of_w(0, client), client);
  while (run.workers.packing_under_way < 2) ASSERT_TRUE(run.executor.run_one());

  const std::string text = writer.waits().at(0).text;
  EXPECT_NE(text.find("being compressed"), std::string::npos) << text;
  EXPECT_EQ(text.find("disk"), std::string::npos) << text;
}

TEST(PackedParts, a_chunk_under_way_of_a_period_behind_the_last_one_brings_no_file_back) {
  Packers run(1, 0);
  for (ClientRank client = 0; client < kClients; ++client) run.send(part_of_w(0, client, 2), client);
  PartWriter& writer = *run.writers[0];
  while (!writer.has_open_files()) ASSERT_TRUE(run.executor.run_one());
  while (run.workers.packing_under_way == 0) ASSERT_TRUE(run.executor.run_one());

  writer.close({{FileId(0), 1}, false, true, {}});
  run.executor.run_until_idle();

  EXPECT_FALSE(writer.has_open_files());
  EXPECT_TRUE(run.done.empty());
}

}  // namespace
}  // namespace pileus::testing
