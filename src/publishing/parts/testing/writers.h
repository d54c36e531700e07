#pragma once
// The writers of two periods of a file on several servers, in a seeded order, on a disk of memory.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "files/testing/small_plan.h"
#include "formats/testing/fake_format.h"
#include "publishing/parts/part_writer.h"
#include "publishing/parts/testing/part_records.h"
#include "time/manipulations/list.h"

namespace pileus::testing {

inline constexpr std::uint64_t kRecordBytes = 17 * 8;

inline std::vector<double> whole_records(Index records) {
  std::vector<double> numbers;
  for (Index r = 0; r < records; ++r) {
    for (Index i = 0; i < 16; ++i) numbers.push_back(static_cast<double>(100 * r + i));
    numbers.push_back(static_cast<double>(-r));
  }
  return numbers;
}

inline Placement placed(Index first, Index records, std::int64_t period = 1) {
  Placement placement{{FileId(0), period}, 0, {first, records, {{0, {}}, {1, {}}}, {}, {}}};
  for (Index r = first; r < first + records; ++r) {
    const std::uint64_t at = static_cast<std::uint64_t>(r) * kRecordBytes;
    placement.growth.variables[0].second.push_back({{{at, {{0, 0}, {4, 4}}}}});
    placement.growth.variables[1].second.push_back({{{at + 128, {{}, {}}}}});
  }
  return placement;
}

class Writers : private FileOwners {
 public:
  Writers(std::size_t count, std::uint64_t seed, bool owners_write_all = false) : executor(seed) {
    small.plan.layout = {kClients, static_cast<ServerRank>(count)};
    const FileId file = small.file("f.nc", 10);
    const ScheduleId axis = small.axis(file, manipulations::instantaneous(), 5);
    small.variable("w", axis, Spread::distributed, {small.dimension("x", 4), small.dimension("y", 4)});
    small.variable("m", axis, Spread::rooted, {});
    for (std::size_t i = 0; i < count; ++i) {
      Share share{{}, {i == 0}, owners_write_all, &regions};
      for (ClientRank client = 0; client < kClients; ++client) {
        if (owners_write_all || client * count / kClients == i) share.clients.push_back(client);
      }
      share.self = static_cast<ServerRank>(i);
      homes.push_back(std::make_unique<Strand>(executor));
      writers.push_back(make_writer(std::move(share), *homes.back()));
    }
    disk.files[path(1)] = {};
    disk.files[path(2)] = {};
  }

  std::string path(std::int64_t period) const { return names.temporary_path({FileId(0), period}); }
  std::unique_ptr<PartWriter> make_writer(Share share, Strand& home) {
    const WriterMeans means{disk, format, home, executor, executor};
    return std::make_unique<PartWriter>(small.plan, std::move(share), names, means,
                                        static_cast<FileOwners&>(*this));
  }
  PartWriter& only() { return *writers.front(); }
  PartWriter& writer_of(ClientRank client) { return *writers[client * writers.size() / kClients]; }
  Strand& home_of(ClientRank client) { return *homes[client * writers.size() / kClients]; }

  /// Parts come whenever they like; what the owner says comes in its order.
  void post_everything(Index records) {
    for (Index r = 0; r < records; ++r) {
      for (ClientRank client = 0; client < kClients; ++client) {
        executor.submit([this, r, client] {
          home_of(client).post([this, r, client] { writer_of(client).add(part_of_w(r, client), client); });
        });
      }
      executor.submit([this, r] { homes[0]->post([this, r] { only().add(m(r), 0); }); });
    }
    for (std::size_t i = 0; i < writers.size(); ++i) {
      auto owner = std::make_shared<Strand>(executor);
      auto tell = [&](auto&& what) {
        owner->post([this, i, what, owner] { homes[i]->post([this, i, what] { what(*writers[i]); }); });
      };
      for (Index r = 0; r < records; r += 2) {
        tell([r](PartWriter& writer) { writer.place(placed(r, 2)); });
      }
      tell([records](PartWriter& writer) { writer.close(closed(records)); });
    }
    executor.run_until_idle();
  }
  void add_record(Index record, std::int64_t period = 1) {
    for (ClientRank client = 0; client < kClients; ++client) {
      only().add(part_of_w(record, client, period), client);
    }
    only().add(m(record, period), 0);
  }
  std::vector<double> numbers(std::int64_t period = 1) const {
    return as_numbers(disk.files.at(path(period)));
  }

  SmallPlan small;
  MemoryFiles disk;
  SeededExecutor executor;
  FakeFormat format{disk};
  FileNames names{small.plan, {"id", "today"}, "out"};
  RankRegions regions = regions_of_quarters();
  std::vector<std::unique_ptr<Strand>> homes;
  std::vector<PartsDone> done;
  std::vector<CutSynced> synced;
  std::vector<std::unique_ptr<PartWriter>> writers;

 private:
  void parts_done(PartsDone parts) override { done.push_back(std::move(parts)); }
  void cut_synced(CutSynced cut) override { synced.push_back(std::move(cut)); }
  void packed(PackedPart /*part*/) override {}
};

}  // namespace pileus::testing
