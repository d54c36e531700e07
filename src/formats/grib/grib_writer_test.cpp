#include "formats/grib/grib_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "core/testing/temporary_directory.h"
#include "disk/passing_files.h"
#include "formats/grib/grib_format.h"
#include "formats/grib/octets.h"

namespace pileus::grib {
namespace {

/// The disk is full at one call, from 1; 0: never.
class FullAt : public PassingFiles {
 public:
  std::size_t full_at = 0, calls = 0;

  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    count(path);
    PassingFiles::reserve(path, first, length);
  }
  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    count(path);
    return PassingFiles::open_parts(path);
  }

 private:
  void count(const std::string& path) {
    if (++calls == full_at) throw DiskFullError(path + ": no space");
  }
};

Compression packing(int together) { return {&codecs::ccsds(), 0, Shuffle::none, 12, {}, together}; }

FileDefinition definition() {
  FileDefinition all;
  all.kind = &kinds::grib2();
  const std::vector<FileAttribute> time = {{"units", std::string("seconds since 1999-12-31 23:00:00")},
                                           {"calendar", std::string("standard")}};
  all.dimensions = {
      {"x", 7, {}, {}}, {"y", 5, {}, {}}, {"z", 3, {10, 20, 30}, {{"units", std::string("m")}}}};
  all.axes = {{"time", false, time, 4}, {"time_1", true, time, 4}};
  all.variables = {{"t", ElementType::float64, {0, 1, 2}, 0, {{"grib", std::string("t")}}, packing(2)},
                   {"w",
                    ElementType::float32,
                    {0, 1},
                    1,
                    {{"grib", std::string("wz")}, {"cell_methods", std::string("time_1: mean")}},
                    packing(2)}};
  const std::vector<double> heights(35, 12.5);
  const auto bytes = std::as_bytes(std::span(heights));
  FileStatic ground{"h", ElementType::float64, {0, 1}, {{"grib", std::string("orog")}}, packing(2), "", {}};
  ground.values = std::make_shared<BytesInMemory>(std::vector<std::byte>(bytes.begin(), bytes.end()));
  FileStatic place{"lat", ElementType::float64, {0, 1}, {}, {}, "", ground.values};
  all.statics = {place, ground};
  return all;
}

PackedChunk chunk(double seed) {
  std::vector<double> values(35);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = seed + static_cast<double>(i * i % 17);
  const auto bytes = std::as_bytes(std::span(values));
  return pack_as_grib(bytes, ElementType::float64, packing(2));
}

template <class Call>
auto tried(const Call& call) {
  try {
    return call();
  } catch (const DiskFullError& error) {
    EXPECT_TRUE(error.may_be_repeated());
    return call();
  }
}

/// What is beside it.
std::string write(FileSystem& files, const std::string& path, Index records) {
  const auto writer = tried([&] { return create_grib(files, path, definition()); });
  for (Index record = 0; record < records; ++record) {
    const auto at = static_cast<double>(record);
    writer->take_times(0, record, {3600 * at, 0, 0});
    const std::vector<PackedRecord> first = {{0, {chunk(at), chunk(at + 0.5), chunk(at + 0.25)}}};
    tried([&] { return writer->write_packed(record, first), 0; });
    writer->take_times(1, record, {90 * at + 90, 90 * at, 90 * at + 90});
    const std::vector<PackedRecord> second = {{1, {chunk(-at)}}};
    tried([&] { return writer->write_packed(record, second), 0; });
  }
  writer->remark("missing_parts", "some\nof them");
  const std::array<Index, 2> counts = {records, records};
  writer->finish(counts);
  std::string beside;
  writer->put_beside([&](std::span<const std::byte> bytes) {
    beside.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return beside;
}

std::vector<std::span<const std::byte>> messages_of(const Bytes& file) {
  std::vector<std::span<const std::byte>> all;
  for (std::size_t at = 0; at < file.size();) {
    EXPECT_EQ(number_at(file, at, 4), 0x47524942U);
    const auto length = static_cast<std::size_t>(number_at(file, at + 8, 8));
    all.push_back(std::span(file).subspan(at, length));
    EXPECT_EQ(number_at(all.back(), length - 4, 4), 0x37373737U);
    at += length;
  }
  return all;
}

TEST(GribWriter, writes_static_fields_and_then_record_by_record) {
  const TemporaryDirectory there;
  PassingFiles disk;
  const std::string beside = write(disk, there.path("a.grib2"), 3);

  const Bytes file = disk.read_whole(there.path("a.grib2"));
  const auto messages = messages_of(file);
  ASSERT_EQ(messages.size(), 1U + 3 * (3 + 1));
  // Section 4 follows 1 and 3, whose lengths are those of their templates.
  const auto category = [&](std::size_t i) { return number_at(messages[i], 16 + 21 + 35 + 9, 2); };
  EXPECT_EQ(category(0), 0x0305U);
  EXPECT_EQ(category(1), 0x0000U);
  EXPECT_EQ(category(4), 0x0209U);
  EXPECT_EQ(std::count(beside.begin(), beside.end(), '\n'), 2 + std::ssize(messages));
  EXPECT_TRUE(beside.starts_with("# missing_parts: some of them\nmessage,variable,level,time_s,"));
  EXPECT_NE(beside.find("\n3,t,20,0,,"), std::string::npos);
  EXPECT_NE(beside.find("\n9,w,,180,90,"), std::string::npos);
}

TEST(GribWriter, says_where_what_is_packed_lies) {
  const TemporaryDirectory there;
  PassingFiles disk;
  const auto writer = create_grib(disk, there.path("a.grib2"), definition());
  for (Index record = 0; record < 2; ++record) {
    writer->take_times(0, record, {});
    const std::vector<PackedRecord> packed = {{0, {chunk(1), chunk(2), chunk(3)}}};
    writer->write_packed(record, packed);
  }
  const Bytes file = disk.read_whole(there.path("a.grib2"));
  const std::vector<std::uint64_t> offsets = writer->packed_offsets(0, 2);
  ASSERT_EQ(offsets.size(), 6U);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const Bytes expected = chunk(1 + static_cast<double>(i % 3)).bytes;
    EXPECT_TRUE(std::ranges::equal(std::span(file).subspan(offsets[i], expected.size()), expected)) << i;
  }
  EXPECT_EQ(writer->packed_offsets(0, 1).size(), 3U);
}

TEST(GribWriter, a_full_disk_at_any_call_leaves_the_same_file_in_the_end) {
  const TemporaryDirectory there;
  FullAt never;
  const std::string beside = write(never, there.path("whole"), 3);
  const Bytes whole = never.read_whole(there.path("whole"));
  ASSERT_GT(never.calls, 10U);
  for (std::size_t call = 1; call <= never.calls; ++call) {
    FullAt disk;
    disk.full_at = call;
    const std::string path = there.path(std::to_string(call));
    EXPECT_EQ(write(disk, path, 3), beside) << call;
    EXPECT_EQ(disk.read_whole(path), whole) << call;
  }
}

TEST(GribWriter, refuses_a_file_that_is_there_and_variables_that_are_no_messages) {
  const TemporaryDirectory there;
  PassingFiles disk;
  disk.write_whole(there.path("a.grib2"), {});
  EXPECT_THROW(create_grib(disk, there.path("a.grib2"), definition()), OutputError);
  EXPECT_TRUE(disk.exists(there.path("a.grib2")));
  FileDefinition wrong = definition();
  wrong.variables[1].compression = {};
  EXPECT_THROW(create_grib(disk, there.path("b.grib2"), wrong), UsageError);
  EXPECT_FALSE(disk.exists(there.path("b.grib2")));
}

}  // namespace
}  // namespace pileus::grib
