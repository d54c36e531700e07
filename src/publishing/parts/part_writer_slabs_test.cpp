// PartWriter where few servers write slabs: each gets the parts of all and writes long stretches.

#include <gtest/gtest.h>

#include "publishing/parts/testing/writers.h"

namespace pileus::testing {
namespace {

/// The file of the other tests, whose w is written in slabs of rows.
class SlabRun : private FileOwners {
 public:
  SlabRun(ServerRank servers, std::int64_t of_servers, std::uint64_t seed) : executor(seed) {
    small.plan.layout = {kClients, servers};
    const FileId file = small.file("f.nc", 10);
    small.plan.files[0].on_disk.writers = of_servers;
    small.plan.files[0].on_disk.slab_bytes = 8;
    const ScheduleId axis = small.axis(file, manipulations::instantaneous(), 5);
    small.variable("w", axis, Spread::distributed, {small.dimension("x", 4), small.dimension("y", 4)});
    small.variable("m", axis, Spread::rooted, {});
    packing = Packing(small.plan, format, regions);
    for (ServerRank server = 0; server < servers; ++server) {
      Share share{{}, {server == 0}, false, &regions};
      for (ClientRank client = 0; client < kClients; ++client)
        if (small.plan.layout.server_of(client) == server) share.clients.push_back(client);
      share.self = server;
      share.packing = &packing;
      homes.push_back(std::make_unique<Strand>(executor));
      const WriterMeans means{disk, format, *homes.back(), executor, executor};
      writers.push_back(
          std::make_unique<PartWriter>(small.plan, share, names, means, static_cast<FileOwners&>(*this)));
    }
    disk.files[path()] = {};
  }

  std::string path() const { return names.temporary_path({FileId(0), 1}); }
  void send(const Record& part, ClientRank client) {
    const ValueLayout layout = value_layout(small.plan, VariableId(0));
    for (const std::uint32_t c : packing.chunks_with(VariableId(0), client)) {
      const Packing::Chunk& slab = packing.chunks(VariableId(0))[c];
      const bool is_cut = small.plan.layout.server_of(client) != slab.packer;
      Record sent = is_cut ? slice_for_chunk(part, layout, slab.region) : part;
      sent.ballast = part.ballast;
      executor.submit([this, sent, client, c, server = slab.packer] {
        homes[server]->post([this, sent, client, c, server] { writers[server]->add(sent, client, c); });
      });
    }
  }
  void tell_all(const std::function<void(PartWriter&)>& what) {
    for (std::size_t i = 0; i < writers.size(); ++i)
      executor.submit([this, i, what] { homes[i]->post([this, i, what] { what(*writers[i]); }); });
  }
  void add_m(Index record) {
    executor.submit([this, record] { homes[0]->post([this, record] { writers[0]->add(m(record), 0); }); });
  }

  SmallPlan small;
  SeededExecutor executor;
  MemoryFiles disk;
  FakeFormat format{disk};
  FileNames names{small.plan, {"id", "today"}, "out"};
  RankRegions regions = regions_of_quarters();
  Packing packing;
  std::vector<std::unique_ptr<Strand>> homes;
  std::vector<std::unique_ptr<PartWriter>> writers;
  std::vector<PartsDone> done;

 private:
  void parts_done(PartsDone parts) override { done.push_back(std::move(parts)); }
  void cut_synced(CutSynced /*cut*/) override {}
  void packed(PackedPart /*part*/) override {}
};

TEST(Slabs, any_order_and_any_servers_write_the_same_bytes_in_long_writes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    // Three slabs are rows 0, 1, and 2 and 3: the parts of ranks reach beyond them.
    SlabRun run(2 + static_cast<ServerRank>(seed % 3), 1 + static_cast<std::int64_t>(seed / 3 % 3), seed);
    ASSERT_EQ(run.packing.chunks(VariableId(0)).size(), std::min(1 + seed / 3 % 3, 2 + seed % 3));
    for (Index record = 0; record < 4; ++record) {
      for (ClientRank client = 0; client < kClients; ++client) run.send(part_of_w(record, client), client);
      run.add_m(record);
    }
    run.tell_all([](PartWriter& writer) {
      writer.place(placed(0, 2));
      writer.place(placed(2, 2));
      writer.close(closed(4));
    });
    run.executor.run_until_idle();

    ASSERT_EQ(as_numbers(run.disk.files.at(run.path())), whole_records(4)) << "seed " << seed;
    std::uint64_t written = 0;
    for (const auto& [path, offset, length] : run.disk.writes) {
      EXPECT_TRUE(length == 8 || length >= 32) << "a row at least, or m";
      written += length;
    }
    EXPECT_EQ(written, 4 * kRecordBytes) << "nothing twice";
    ASSERT_EQ(run.done.size(), run.writers.size());
    for (const PartsDone& done : run.done) EXPECT_EQ(done.error, "");
    for (const auto& writer : run.writers) {
      EXPECT_FALSE(writer->has_open_files());
      EXPECT_EQ(writer->held_of_written(), 0U);
    }
  }
}

TEST(Slabs, give_memory_back_and_forget_places_when_they_are_written) {
  SlabRun run(4, 2, 1);
  MemoryOfParts memory;
  run.tell_all([](PartWriter& writer) { writer.place(placed(0, 2)); });
  for (ClientRank client = 0; client < kClients; ++client)
    run.send(memory.given_to(part_of_w(0, client)), client);
  run.executor.run_until_idle();

  EXPECT_TRUE(memory.is_back());
  for (Index record : {0, 1}) run.add_m(record);
  for (ClientRank client = 0; client < kClients; ++client) run.send(part_of_w(1, client), client);
  run.executor.run_until_idle();
  for (const auto& writer : run.writers) EXPECT_EQ(writer->held_of_written(), 0U);
}

TEST(Slabs, that_lack_parts_of_an_ended_rank_are_filled_and_the_rank_is_named_once) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SlabRun run(2 + static_cast<ServerRank>(seed % 3), 1 + static_cast<std::int64_t>(seed % 2), seed);
    for (Index record = 0; record < 2; ++record) {
      for (ClientRank client : {0U, 1U, 3U}) run.send(part_of_w(record, client), client);
      run.add_m(record);
    }
    run.send(part_of_w(0, 2), 2);
    run.executor.run_until_idle();
    run.tell_all([](PartWriter& writer) { writer.end_client(2); });
    run.tell_all([](PartWriter& writer) {
      writer.place(placed(0, 2));
      writer.close(closed(2));
    });
    run.executor.run_until_idle();

    std::vector<double> expected = whole_records(2);
    for (const std::size_t element : {8U, 9U, 12U, 13U}) expected[17 + element] = 9.9692099683868690e+36;
    ASSERT_EQ(as_numbers(run.disk.files.at(run.path())), expected) << "seed " << seed;
    std::vector<MissingPart> missing;
    for (const PartsDone& done : run.done)
      missing.insert(missing.end(), done.missing.begin(), done.missing.end());
    ASSERT_EQ(missing.size(), 1U) << "seed " << seed;
    EXPECT_EQ(missing[0], (MissingPart{0, 2, {{0, 2}, {2, 2}}, 1}));
  }
}

TEST(Slabs, say_which_ranks_they_lack) {
  SlabRun run(2, 1, 0);
  run.tell_all([](PartWriter& writer) { writer.place(placed(0, 1)); });
  for (ClientRank client : {0U, 1U, 3U}) run.send(part_of_w(0, client), client);
  run.executor.run_until_idle();

  std::vector<std::string> texts;
  for (const auto& writer : run.writers)
    for (const Wait& wait : writer->waits()) texts.push_back(wait.text);
  EXPECT_EQ(texts,
            std::vector<std::string>{"f.nc, period 1: record 0 of w at 0 s lacks the part of model rank 2"});
}

}  // namespace
}  // namespace pileus::testing
