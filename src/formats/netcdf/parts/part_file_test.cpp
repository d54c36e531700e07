// Parts of servers: what is written behind their data makes files of HDF5, and virtual datasets refer to
// them.

#include "formats/netcdf/parts/part_file.h"

#include <cstring>
#include <numeric>

#include "formats/netcdf/hdf5_file.h"
#include "formats/netcdf/parts/part_views.h"
#include "formats/netcdf/test_file.h"

namespace pileus::netcdf {
namespace {

constexpr Index kX = 5, kY = 7;

double number(std::uint32_t variable, Index record, Index y, Index x) {
  return static_cast<double>(variable * 100'000 + record * 100 + y * 10 + x);
}

/// A part as a server writes it: boxes of records one behind the other, and its end.
class Log {
 public:
  explicit Log(std::string name, std::vector<Index> first, std::vector<Index> end) {
    part.name = std::move(name);
    part.first = std::move(first);
    part.end = std::move(end);
    bytes.resize(kHeadOfPart);
  }
  void add_box(std::uint32_t variable, std::uint32_t of, const Region& region) {
    part.datasets.push_back({variable, of, region, region.count, {}});
  }
  /// In an order that is nobody's.
  void write_records(Index first, Index end) {
    for (Index record = end - 1; record >= first; --record) {
      for (PartDataset& box : part.datasets) write(box, record);
    }
    for (PartDataset& box : part.datasets) std::ranges::sort(box.chunks, {}, &PartChunk::record);
  }
  void save(const std::string& path, const std::vector<PartVariable>& variables) {
    EndOfPart end = end_of_part(part, variables, bytes.size());
    bytes.resize(end.offset);
    bytes.insert(bytes.end(), end.tail.begin(), end.tail.end());
    std::ranges::copy(end.head, bytes.begin());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  PartOfFile part;
  std::vector<std::byte> bytes;

 private:
  void write(PartDataset& box, Index record) {
    std::vector<double> values;
    const auto [start, count] = box.region;
    for (Index y = 0; y < count[1]; ++y) {
      for (Index x = 0; x < count[0]; ++x)
        values.push_back(number(box.variable, record, start[1] + y, start[0] + x));
    }
    const auto raw = std::as_bytes(std::span(values));
    box.chunks.push_back({record, bytes.size(), raw.size(), 0});
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
};

std::vector<PartVariable> variables_of(const FileDefinition& definition) {
  std::vector<PartVariable> variables;
  for (const FileVariable& one : definition.variables) variables.push_back({one.name, one.type, {}});
  return variables;
}

FileDefinition two_variables() {
  FileDefinition definition;
  definition.dimensions = {{"x", kX, {}, {}}, {"y", kY, {}, {}}};
  definition.axes = {{"time", false, {}, 4}};
  FileVariable variable{"w", ElementType::float64, {0, 1}, 0, {{"units", "m s-1"}}};
  variable.is_in_parts = true;
  definition.variables = {variable, variable, {"p", ElementType::float64, {}, 0, {}, {}}};
  definition.variables[1].name = "100 %b of it";  // which stands for something in names of sources
  return definition;
}

/// The numbers of all records.
std::vector<double> read(const std::string& path, const std::string& variable) {
  int file = 0, id = 0, dimensions = 0;
  EXPECT_EQ(nc_open(path.c_str(), NC_NOWRITE, &file), NC_NOERR);
  EXPECT_EQ(nc_inq_varid(file, variable.c_str(), &id), NC_NOERR);
  EXPECT_EQ(nc_inq_varndims(file, id, &dimensions), NC_NOERR);
  std::vector<int> ids(static_cast<std::size_t>(dimensions));
  nc_inq_vardimid(file, id, ids.data());
  std::size_t size = 1;
  for (const int one : ids) {
    std::size_t length = 0;
    nc_inq_dimlen(file, one, &length);
    size *= length;
  }
  std::vector<double> values(size);
  EXPECT_EQ(nc_get_var_double(file, id, values.data()), NC_NOERR);
  nc_close(file);
  return values;
}

std::vector<double> expected(std::uint32_t variable, Index records) {
  std::vector<double> values;
  for (Index r = 0; r < records; ++r)
    for (Index y = 0; y < kY; ++y)
      for (Index x = 0; x < kX; ++x) values.push_back(number(variable, r, y, x));
  return values;
}

TEST(PartFile, readers_find_the_boxes_of_all_parts_in_one_variable) {
  const TemporaryDirectory folder;
  const FileDefinition definition = two_variables();
  const std::vector<PartVariable> variables = variables_of(definition);
  std::filesystem::create_directory(folder.path("f.parts"));
  // Two servers for two records, then one for the rest, with more records than a node of a tree has chunks.
  constexpr Index kRecords = 150;
  std::vector<Log> logs;
  logs.emplace_back("f.parts/0000.nc", std::vector<Index>{0}, std::vector<Index>{2});
  logs.emplace_back("f.parts/0001.nc", std::vector<Index>{0}, std::vector<Index>{2});
  logs.emplace_back("f.parts/0002.nc", std::vector<Index>{2}, std::vector<Index>{kRecords});
  for (std::uint32_t v = 0; v < 2; ++v) {
    logs[0].add_box(v, 0, {{0, 0}, {kX, 3}});
    logs[1].add_box(v, 1, {{0, 3}, {2, 4}});
    logs[1].add_box(v, 2, {{2, 3}, {3, 4}});
    logs[2].add_box(v, 0, {{0, 0}, {kX, kY}});
  }
  logs[0].write_records(0, 5);  // more than the file refers to
  logs[1].write_records(0, 2);
  logs[2].write_records(2, kRecords);
  std::vector<PartOfFile> parts;
  for (Log& log : logs) {
    log.save(folder.path(log.part.name), variables);
    parts.push_back(log.part);
  }
  const auto files = posix_file_system();
  const auto format = netcdf_format(*files);
  const std::string path = folder.path("f.nc");
  const auto writer = format->create(path, definition);
  Index space = 0;
  while (space < kRecords) {
    const AxisGrowth growth = writer->grow(0);
    EXPECT_EQ(growth.variables.size(), 1U);  // only p has places here
    space += growth.records;
  }
  writer->take_parts(parts, variables);
  writer->finish(std::vector<Index>{kRecords});

  EXPECT_EQ(read(path, "w"), expected(0, kRecords));
  EXPECT_EQ(read(path, "100 %b of it"), expected(1, kRecords));
  EXPECT_EQ(format->parts_of(path),
            (std::vector<std::string>{"f.parts/0000.nc", "f.parts/0001.nc", "f.parts/0002.nc"}));
}

TEST(PartFile, what_no_part_has_reads_as_the_fill_value) {
  const TemporaryDirectory folder;
  const FileDefinition definition = two_variables();
  Log log("f.parts/0000.nc", {0}, {1});
  log.add_box(0, 0, {{0, 0}, {kX, kY - 1}});
  log.write_records(0, 1);
  std::filesystem::create_directory(folder.path("f.parts"));
  log.save(folder.path(log.part.name), variables_of(definition));
  const auto files = posix_file_system();
  const auto format = netcdf_format(*files);
  const auto writer = format->create(folder.path("f.nc"), definition);
  writer->grow(0);
  writer->take_parts({log.part}, variables_of(definition));
  writer->finish(std::vector<Index>{1});

  std::vector<double> wanted = expected(0, 1);
  std::fill(wanted.end() - kX, wanted.end(), std::get<double>(missing_value(ElementType::float64)));
  EXPECT_EQ(read(folder.path("f.nc"), "w"), wanted);
  EXPECT_EQ(read(folder.path("f.nc"), "100 %b of it"),
            std::vector<double>(kX * kY, std::get<double>(missing_value(ElementType::float64))));
}

TEST(PartFile, a_group_has_as_many_datasets_as_there_are_boxes) {
  const TemporaryDirectory folder;
  std::vector<PartVariable> variables;
  for (int v = 0; v < 700; ++v) variables.push_back({"v" + std::to_string(v), ElementType::float64, {}});
  Log log("f.parts/0000.nc", {0}, {1});
  for (std::uint32_t v = 0; v < 700; ++v) {
    for (std::uint32_t box = 0; box < 9; ++box) log.add_box(v, box, {{static_cast<Index>(box), 0}, {1, 1}});
  }
  log.write_records(0, 1);
  const std::string path = folder.path("part.nc");
  log.save(path, variables);

  const Hdf5File file(path, 0);
  for (const PartDataset& box : log.part.datasets) {
    const Hdf5Dataset dataset(file, name_in_part(variables[box.variable], box));
    const std::vector<hsize_t> first(3, 0);
    ASSERT_EQ(dataset.chunk_address(first), box.chunks.front().offset);
  }
}

TEST(PartFile, a_file_says_how_many_chunks_it_has) {
  Log log("f.parts/0000.nc", {0}, {3});
  log.add_box(0, 0, {{0, 0}, {2, 2}});
  log.write_records(0, 3);
  EXPECT_EQ(chunks_in_part(log.bytes), 0U);

  const EndOfPart end = end_of_part(log.part, variables_of(two_variables()), log.bytes.size());

  EXPECT_EQ(end.head.size(), kHeadOfPart);
  EXPECT_EQ(chunks_in_part(end.head), 3U);
  EXPECT_EQ(chunks_in_part(std::span(end.head).first(100)), 0U);
}

TEST(PartFile, the_end_comes_where_eight_bytes_begin) {
  Log log("f.parts/0000.nc", {0}, {1});
  log.add_box(0, 0, {{0, 0}, {2, 2}});
  log.write_records(0, 1);
  EXPECT_EQ(end_of_part(log.part, variables_of(two_variables()), log.bytes.size() + 3).offset % 8, 0U);
  EXPECT_EQ(end_of_part({}, {}, 0).offset, kHeadOfPart);
}

}  // namespace
}  // namespace pileus::netcdf
