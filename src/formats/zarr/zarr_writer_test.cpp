#include "formats/zarr/zarr_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <set>

#include "core/error.h"
#include "core/testing/temporary_directory.h"
#include "disk/passing_files.h"
#include "formats/folders/folder_files.h"
#include "formats/zarr/zarr_format.h"

namespace pileus::zarr {
namespace {

/// The disk is full at one call, from 1; 0: never.
class FullAt : public PassingFiles {
 public:
  std::size_t full_at = 0, calls = 0;
  std::function<void()> on_write = [] {};  ///< a kill may come there

  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    count(path);
    PassingFiles::reserve(path, first, length);
  }
  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    count(path);
    return PassingFiles::open_parts(path);
  }
  void write_pieces(const std::string& path, const GiveBytes& give) override {
    count(path);
    PassingFiles::write_pieces(path, [&](const PutBytes& put) {
      on_write();
      give(put);
    });
  }

 private:
  void count(const std::string& path) {
    if (++calls == full_at) throw DiskFullError(path + ": no space");
  }
};

FileDefinition definition(Index block_records, Index rows = 5) {
  FileDefinition all;
  all.kind = &kinds::zarr();
  all.dimensions = {{"x", 7, {0, 1, 2, 3, 4, 5, 6}, {{"units", std::string("m")}}}, {"y", rows, {}, {}}};
  all.axes = {{"time", true, {}, block_records}, {"time_1", false, {}, 2 * block_records}};
  all.variables = {{"scalar", ElementType::float64, {}, 0, {}},
                   {"plane", ElementType::float32, {0, 1}, 0, {}},
                   {"packed", ElementType::float64, {0, 1}, 0, {}, {&codecs::zstd(), 1, Shuffle::none}},
                   {"other", ElementType::int64, {0, 1}, 1, {}}};
  const std::vector<std::byte> text = {std::byte{'a'}, std::byte{0}, std::byte{'b'}, std::byte{'c'}};
  all.dimensions.push_back({"letters", 2, {}, {}});
  all.dimensions.push_back({"name", 2, {}, {}});
  all.statics = {
      {"names", ElementType::character, {2, 3}, {}, {}, "", std::make_shared<BytesInMemory>(text)}};
  return all;
}

/// The same with a coarser level of the plane and of a static, along x.
FileDefinition with_level(FileDefinition all) {
  all.levels = {2, {{"x", 2}}};
  const auto x = static_cast<std::uint32_t>(all.dimensions.size());
  all.dimensions.push_back({"1/x", 4, {0.5, 2.5, 4.5, 6}, {}});
  all.dimensions.push_back({"1/y", 5, {}, {}});
  all.variables.push_back(
      {"1/plane", ElementType::float32, {x, x + 1}, 0, {}, {&codecs::plain(), 0, Shuffle::none}});
  const auto row = std::as_bytes(std::span(all.dimensions[0].coordinates));
  FileStatic fine{"row", ElementType::float64, {0}, {}};
  fine.values = std::make_shared<BytesInMemory>(std::vector<std::byte>(row.begin(), row.end()));
  FileStatic coarse{"1/row", ElementType::float64, {x}, {}};
  coarse.coarse = {static_cast<std::uint32_t>(all.statics.size()), {2}};
  all.statics.push_back(std::move(fine));
  all.statics.push_back(std::move(coarse));
  return all;
}

std::vector<PackedRecord> packed_record(Index record, bool has_level = false) {
  std::vector<PackedRecord> all = {
      {2, {{Bytes(static_cast<std::size_t>(3 + record % 5), static_cast<std::byte>(record)), 0}}}};
  if (has_level) all.push_back({4, {{Bytes(4 * 5 * sizeof(float), static_cast<std::byte>(record)), 0}}});
  return all;
}

/// What a call brings, after as many trials as it takes.
template <class Call>
auto tried(const Call& call) {
  try {
    return call();
  } catch (const DiskFullError& error) {
    EXPECT_TRUE(error.may_be_repeated());
    return call();
  }
}

/// Writes some records, with the growths they need.
void write(FullAt& disk, const std::string& path, const FileDefinition& definition, Index records) {
  FolderFiles files(disk);
  const auto writer = tried([&] { return create_zarr(files, path, definition); });
  std::array<Index, 2> space = {0, 0};
  for (Index record = 0; record < records; ++record) {
    for (std::uint32_t axis : {0U, 1U}) {
      if (record < space[axis]) continue;
      const AxisGrowth growth = tried([&] { return writer->grow(axis); });
      space[axis] += growth.records;
    }
    const std::vector<PackedRecord> packed = packed_record(record, definition.levels.count > 1);
    tried([&] { return writer->write_packed(record, packed), 0; });
  }
  const std::array<Index, 2> counts = {records, std::max<Index>(0, records - 1)};
  tried([&] { return writer->finish(counts), 0; });
}

std::map<std::string, Bytes> bytes_below(const std::string& folder) {
  std::map<std::string, Bytes> all;
  const auto disk = posix_file_system();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      all[std::filesystem::relative(entry.path(), folder)] = disk->read_whole(entry.path());
  }
  return all;
}

TEST(ZarrWriter, a_full_disk_at_any_call_leaves_a_store_that_is_the_same_in_the_end) {
  for (const FileDefinition& all : {definition(4), with_level(definition(4))}) {
    const TemporaryDirectory there;
    FullAt never;
    write(never, there.path("whole"), all, 11);
    const auto whole = bytes_below(there.path("whole"));
    ASSERT_GT(never.calls, 50);
    for (std::size_t at = 1; at <= never.calls; ++at) {
      FullAt full;
      full.full_at = at;
      const std::string path = there.path("full" + std::to_string(at));
      write(full, path, all, 11);
      EXPECT_EQ(full.calls > never.calls, true) << at;
      EXPECT_EQ(bytes_below(path), whole) << at;
      std::filesystem::remove_all(path);
    }
  }
}

TEST(ZarrWriter, a_level_has_a_group_with_its_times_and_its_statics) {
  const TemporaryDirectory there;
  FullAt disk;
  const std::string path = there.path("store");

  write(disk, path, with_level(definition(4)), 11);

  const auto all = bytes_below(path);
  EXPECT_EQ(all.at("1/time/c/0"), all.at("0/time/c/0"));
  EXPECT_EQ(all.at("1/time_bnds/c/2/0"), all.at("0/time_bnds/c/2/0"));
  EXPECT_FALSE(all.contains("1/time_1/zarr.json")) << "nothing of the level has records there";
  EXPECT_FALSE(all.contains("time/zarr.json"));
  std::array<double, 4> row = {};
  std::memcpy(row.data(), all.at("1/row/c/0").data(), sizeof row);
  EXPECT_EQ(row, (std::array<double, 4>{0.5, 2.5, 4.5, 6}));
}

/// The system refuses a name that is too long as it refuses a folder on a full disk: when it is made.
TEST(ZarrWriter, a_folder_that_cannot_be_made_is_an_error_of_the_output) {
  const TemporaryDirectory there;
  FullAt disk;
  FolderFiles files(disk);
  FileDefinition one;
  one.kind = &kinds::zarr();
  one.axes = {{std::string(300, 't'), false, {}, 4}};

  try {
    (void)create_zarr(files, there.path("store"), one);
    FAIL() << "there is no such folder";
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("could not make its folder"), std::string::npos) << error.what();
  }
}

TEST(ZarrWriter, values_that_are_none_are_what_the_definition_says) {
  const TemporaryDirectory there;
  FullAt disk;
  FileDefinition one = definition(4);
  one.variables[1].fill_value = 1e20;

  write(disk, there.path("store"), one, 1);

  const Bytes bytes = posix_file_system()->read_whole(there.path("store") + "/plane/zarr.json");
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_NE(text.find("\"fill_value\": 1.0000000200408773e+20"), std::string::npos) << text;
}

TEST(ZarrWriter, places_of_records_are_within_the_store_and_no_two_overlap) {
  for (const Index rows : {Index{5}, Index{20'000}, Index{100'000}}) {
    const TemporaryDirectory there;
    FullAt disk;
    FolderFiles files(disk);
    const FileDefinition all = definition(6, rows);
    const auto writer = create_zarr(files, there.path("store"), all);
    std::map<std::uint64_t, std::uint64_t> taken;
    const auto take = [&](std::uint64_t first, std::uint64_t length) {
      EXPECT_TRUE(taken.emplace(first, first + length).second);
    };
    for (int growths = 0; growths < 3; ++growths) {
      for (const std::uint32_t axis : {0U, 1U}) {
        const AxisGrowth growth = writer->grow(axis);
        EXPECT_LE(growth.records, all.axes[axis].block_records);
        ASSERT_EQ(std::ssize(growth.time_offsets), growth.records);
        for (const std::uint64_t offset : growth.time_offsets) take(offset, 8);
        for (const std::uint64_t offset : growth.bounds_offsets) take(offset, 16);
        for (const auto& [variable, records] : growth.variables) {
          ASSERT_EQ(std::ssize(records), growth.records);
          const std::size_t element = size_bytes(all.variables[variable].type);
          for (std::size_t r = 0; r < records.size(); ++r) {
            Index covered = 0;
            const RecordPlacement record = records[r];
            for (const Block& block : record.blocks) {
              take(block.offset, static_cast<std::uint64_t>(block.region.size()) * element);
              covered += block.region.size();
            }
            EXPECT_GE(covered, all.variables[variable].dimensions.empty() ? 1 : 7 * rows);
          }
        }
      }
    }
    const std::uint64_t end = files.open_source(there.path("store"))->size_bytes();
    std::uint64_t before = 0;
    for (const auto& [first, last] : taken) {
      EXPECT_LE(before, first);
      before = last;
    }
    EXPECT_LE(before, end);
  }
}

TEST(ZarrWriter, there_is_a_table_of_its_pieces_whenever_it_is_killed) {
  const TemporaryDirectory there;
  FullAt disk;
  FolderFiles files(disk);
  std::uint64_t before = 0;
  std::size_t looks = 0;
  disk.on_write = [&] {
    if (folders::table_of(files, there.path("store")).empty()) return;
    const std::uint64_t now = files.open_source(there.path("store"))->size_bytes();
    EXPECT_GE(2 * now, before);  // shards that are not full are cut at the end
    before = now;
    ++looks;
  };
  write(disk, there.path("store"), definition(4), 11);
  EXPECT_GT(looks, 1);
  EXPECT_GT(before, 500);
}

TEST(ZarrWriter, chunks_lie_where_it_says) {
  const TemporaryDirectory there;
  FullAt disk;
  FolderFiles files(disk);
  const auto writer = create_zarr(files, there.path("store"), definition(4));
  for (Index record = 0; record < 11; ++record) writer->write_packed(record, packed_record(record));
  for (const Index records : {11, 8, 3, 0}) {
    const std::vector<std::uint64_t> offsets = writer->packed_offsets(2, records);
    ASSERT_EQ(std::ssize(offsets), records);
    const auto source = files.open_source(there.path("store"));
    for (Index record = 0; record < records; ++record) {
      Bytes found(static_cast<std::size_t>(3 + record % 5));
      source->read_at(offsets[static_cast<std::size_t>(record)], found);
      EXPECT_EQ(found, packed_record(record)[0].chunks[0].bytes);
    }
  }
}

TEST(ZarrWriter, numbers_of_records_that_do_not_agree_are_refused) {
  const TemporaryDirectory there;
  FullAt disk;
  const auto writer = create_zarr(disk, there.path("store"), definition(4));
  writer->grow(0);
  writer->write_packed(0, packed_record(0));
  EXPECT_THROW(writer->finish(std::array<Index, 2>{2, 0}), UsageError);
  EXPECT_THROW(create_zarr(disk, there.path("store"), definition(4)), OutputError);
}

TEST(ZarrWriter, a_store_of_scalars_without_coordinates_begins_with_nothing) {
  const TemporaryDirectory there;
  FullAt disk;
  FolderFiles files(disk);
  FileDefinition all;
  all.axes = {{"time", false, {}, 3}};
  all.variables = {{"dt", ElementType::float64, {}, 0, {}}};
  const auto writer = create_zarr(files, there.path("store"), all);
  EXPECT_EQ(files.open_source(there.path("store"))->size_bytes(), 0);
  const AxisGrowth growth = writer->grow(0);
  EXPECT_EQ(growth.records, 2);
  EXPECT_EQ(growth.time_offsets, (std::vector<std::uint64_t>{0, 8}));
  writer->finish(std::array<Index, 1>{1});
}

TEST(Crc32c, is_that_of_the_standard) {
  // RFC 3720, B.4: 32 zeros, 32 bytes of ones.
  EXPECT_EQ(crc32c(std::vector<std::byte>(32)), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0xFF})), 0x62A8AB43U);
}

TEST(RecordsOfShard, are_a_power_of_two_within_bounds) {
  EXPECT_EQ(records_of_shard({}, 1), 1);
  EXPECT_EQ(records_of_shard({}, 1000), 512);
  EXPECT_EQ(records_of_shard({std::uint64_t{1} << 20}, 1000), 64);
  EXPECT_EQ(records_of_shard({std::uint64_t{1} << 40}, 1000), 1);
}

}  // namespace
}  // namespace pileus::zarr
