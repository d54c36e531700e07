// A published file takes no more of the disk than its records need, on the usual file system and in memory.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "disk/passing_files.h"
#include "formats/netcdf/test_file.h"
#include "publishing/owner/library_file.h"

namespace pileus::netcdf {
namespace {

constexpr Index kRecordBytes = Index{1} << 20;
/// Metadata, times, and gaps before pages.
constexpr Index kSlack = Index{256} << 10;

/// Two axes with a large variable each, `expected` records of which are expected, and a small one.
FileDefinition two_axes(Index expected, Index first_records) {
  FileDefinition definition;
  definition.dimensions = {{"x", kRecordBytes / 8, {}, {}}, {"few", 10, {}, {}}};
  definition.axes = {{"time", true, {}, expected, first_records},
                     {"time_averaged", false, {}, expected, first_records}};
  definition.variables = {{"now", ElementType::float64, {0}, 0, {}},
                          {"mean", ElementType::float64, {0}, 1, {}},
                          {"small", ElementType::float32, {1}, 1, {}}};
  return definition;
}

constexpr Index kVariables = 50, kLevels = 800;  // 6.4 kB a record, ten of them in a chunk

FileDefinition profiles() {
  FileDefinition definition;
  definition.dimensions = {{"z", kLevels, {}, {}}};
  definition.axes = {{"time", false, {}, 10}, {"time_other", false, {}, 10}};
  for (Index v = 0; v < kVariables; ++v)
    definition.variables.push_back({"v" + std::to_string(v), ElementType::float64, {0}, 0, {}});
  definition.variables.push_back({"last", ElementType::float64, {0}, 1, {}});
  return definition;
}

/// A disk that cannot give space back.
class Unyielding : public PassingFiles {
 public:
  void give_back(const std::string&, std::uint64_t, std::uint64_t) override {}
};

/// A disk that counts how often space was given back.
class Counting : public PassingFiles {
 public:
  void give_back(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    ++count;
    PassingFiles::give_back(path, first, length);
  }
  int count = 0;
};

Index bytes_on_disk(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return Index{512} * status.st_blocks;
}

class RoomGivenBack : public ::testing::TestWithParam<const char*> {
 protected:
  /// The axes gain records one after the other, in turn, as long as there are any.
  std::string write(const std::string& name, const FileDefinition& definition, std::vector<Index> records,
                    unsigned seed = 1) {
    const std::string path = directory_.path(name);
    LibraryFile library(*files_, definition.axes.size());
    FileChanges changes(definition);
    library.make(*format_, path, definition);
    for (Index record = 0; record < std::max(records[0], records[1]); ++record) {
      for (std::uint32_t axis = 0; axis < 2; ++axis) {
        if (record >= records[axis]) continue;
        for (const FileChange& change : changes.add_record(axis)) {
          std::vector<AxisGrowth> growths;
          library.grow_to(axis, change.records, growths);
          for (AxisGrowth growth : growths) {
            keep_first(growth, records[axis] - growth.first_record);
            write_growth(*files_, path, definition, growth, seed, 2);
          }
        }
      }
    }
    library.writer().finish(records);
    library.close();
    return path;
  }

  /// Of a growth, what is written at last.
  static void keep_first(AxisGrowth& growth, Index records) {
    growth.records = std::min(growth.records, records);
    const auto count = static_cast<std::size_t>(growth.records);
    growth.time_offsets.resize(count);
    if (!growth.bounds_offsets.empty()) growth.bounds_offsets.resize(count);
    for (auto& [variable, placements] : growth.variables) {
      RecordPlacements first;
      for (std::size_t i = 0; i < count; ++i) first.push_back(placements[i]);
      placements = first;
    }
  }

  static Index needed(const std::vector<Index>& records) { return (records[0] + records[1]) * kRecordBytes; }

  TemporaryDirectory directory_{GetParam()};
  std::unique_ptr<FileSystem> files_ = posix_file_system();
  std::unique_ptr<FileFormat> format_ = netcdf_format(*files_);
};

TEST_P(RoomGivenBack, a_file_with_few_of_its_records_takes_the_room_of_these) {
  for (const Index first : {0, 1, 3}) {
    for (const std::vector<Index>& records : {std::vector<Index>{1, 1}, {1, 10}, {7, 2}, {10, 10}}) {
      const std::string path = write("a.nc", two_axes(10, first), records);

      EXPECT_LE(bytes_on_disk(path), needed(records) + kSlack)
          << first << ": " << records[0] << " and " << records[1];
      EXPECT_EQ(ReadFile(path).shape("mean"), (std::vector<Index>{records[1], kRecordBytes / 8}));
      std::filesystem::remove(path);
    }
  }
}

TEST_P(RoomGivenBack, records_that_share_chunks_leave_no_more_than_a_page_of_each_unused) {
  const std::string path = write("a.nc", profiles(), {1, 1});

  const Index needed = (kVariables + 1) * (kLevels * 8 + 2 * 4096);
  EXPECT_LE(bytes_on_disk(path), needed + kSlack + kVariables * 2048);  // what describes a variable
}

TEST_P(RoomGivenBack, the_bytes_follow_from_the_content_alone) {
  const FileDefinition definition = two_axes(100, 2);
  const std::string reference = content(write("a.nc", definition, {5, 3}));

  EXPECT_TRUE(content(write("b.nc", definition, {5, 3}, 7)) == reference);
}

TEST_P(RoomGivenBack, the_bytes_are_the_same_where_the_disk_cannot_give_it_back) {
  const std::string large = content(write("a.nc", two_axes(100, 2), {5, 3}));
  const std::string small = content(write("b.nc", profiles(), {3, 1}));
  files_ = std::make_unique<Unyielding>();
  format_ = netcdf_format(*files_);

  EXPECT_TRUE(content(write("c.nc", two_axes(100, 2), {5, 3})) == large);
  EXPECT_TRUE(content(write("d.nc", profiles(), {3, 1})) == small);
}

TEST_P(RoomGivenBack, a_file_under_way_reserves_at_most_twice_what_it_holds) {
  const FileDefinition definition = two_axes(1000, 1);
  const std::string path = directory_.path("a.nc");
  LibraryFile library(*files_, 2);
  FileChanges changes(definition);
  library.make(*format_, path, definition);
  for (Index record = 1; record <= 20; ++record) {
    for (const FileChange& change : changes.add_record(0)) {
      std::vector<AxisGrowth> growths;
      library.grow_to(0, change.records, growths);
    }
    EXPECT_LE(bytes_on_disk(path), 2 * record * kRecordBytes + kSlack) << record;
  }
}

TEST_P(RoomGivenBack, a_file_with_all_of_its_records_has_nothing_to_give_back) {
  auto counting = std::make_unique<Counting>();
  const int& count = counting->count;
  files_ = std::move(counting);
  format_ = netcdf_format(*files_);
  for (const Index expected : {1, 5, 12}) {
    for (const Index first : {0, 1, 3}) {
      const std::vector<Index> all(2, expected);
      const std::string path = write("a.nc", two_axes(expected, std::min(first, expected)), all);

      EXPECT_EQ(count, 0) << expected << " records, " << first << " at first";
      EXPECT_LE(bytes_on_disk(path), needed(all) + kSlack);
      EXPECT_EQ(ReadFile(path).shape("mean"), (std::vector<Index>{expected, kRecordBytes / 8}));
      std::filesystem::remove(path);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Disks, RoomGivenBack, ::testing::Values("/tmp", "/dev/shm"),
                         [](const auto& disk) { return std::string(disk.index == 0 ? "usual" : "memory"); });

}  // namespace
}  // namespace pileus::netcdf
