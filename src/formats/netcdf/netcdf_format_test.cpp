#include "formats/netcdf/netcdf_format.h"

#include <hdf5.h>
#include <sys/stat.h>

#include <array>
#include <thread>

#include "disk/passing_files.h"
#include "formats/netcdf/test_file.h"

namespace pileus::netcdf {
namespace {

/// Two axes; a scalar and 1-D to 3-D variables; every type; records that share chunks, that are one, that are
/// cut.
FileDefinition mixed_definition() {
  FileDefinition definition;
  definition.dimensions = {{"x", 7, {0, 1, 2, 3, 4, 5, 6}, {{"units", "m"}}},
                           {"y", 5, {10, 20, 30, 40, 50}, {}},
                           {"z", 3, {}, {}},
                           {"cell", 9000, {}, {}}};
  definition.axes = {{"time", true, {{"units", "seconds since 2000-01-01"}}, 4},
                     {"time_instantaneous", false, {}, 3}};
  definition.variables = {{"theta", ElementType::float64, {0, 1, 2}, 0, {{"units", "K"}}},
                          {"rain", ElementType::float32, {0, 1}, 0, {}},
                          {"count", ElementType::int32, {}, 0, {}},
                          {"column", ElementType::int64, {2}, 1, {}},
                          {"cells", ElementType::float64, {3}, 1, {}},
                          {"total", ElementType::float64, {}, 1, {}}};
  definition.attributes = {{"title", "a test"}, {"complete", std::int64_t{1}}, {"ratio", 0.5}};
  return definition;
}

class NetcdfFormatTest : public ::testing::Test {
 protected:
  /// Writes a file in rounds: in each, every axis grows once.
  std::string write(const std::string& name, const FileDefinition& definition, int rounds,
                    const std::vector<Index>& records, unsigned seed = 1, int writers = 3) {
    const std::string path = directory_.path(name);
    const auto writer = format_->create(path, definition);
    for (int round = 0; round < rounds; ++round) {
      for (std::uint32_t axis = 0; axis < definition.axes.size(); ++axis) {
        write_growth(*files_, path, definition, writer->grow(axis), seed + axis, writers);
      }
    }
    writer->finish(records);
    return path;
  }

  static void expect_values(const std::string& path, const FileDefinition& definition,
                            const std::vector<Index>& records) {
    const ReadFile file(path);
    for (std::uint32_t v = 0; v < definition.variables.size(); ++v) {
      const FileVariable& variable = definition.variables[v];
      const std::vector<Index> extents = extents_of(definition, v);
      std::vector<Index> shape = {records[variable.axis]};
      shape.insert(shape.end(), extents.rbegin(), extents.rend());
      std::vector<double> expected;
      for (Index record = 0; record < records[variable.axis]; ++record) {
        for (Index i = 0; i < Region{{}, extents}.size(); ++i) expected.push_back(test_value(v, record, i));
      }
      EXPECT_EQ(file.shape(variable.name), shape) << variable.name;
      EXPECT_EQ(file.values(variable.name), expected) << variable.name;
    }
    for (std::size_t axis = 0; axis < records.size(); ++axis) {
      std::vector<double> times, bounds;
      for (Index record = 0; record < records[axis]; ++record) {
        times.push_back(60.0 * static_cast<double>(record + 1));
        bounds.insert(bounds.end(), {times.back() - 60, times.back()});
      }
      EXPECT_EQ(file.values(definition.axes[axis].name), times);
      if (definition.axes[axis].has_bounds) {
        EXPECT_EQ(file.values(definition.axes[axis].name + "_bnds"), bounds);
      }
    }
  }

  TemporaryDirectory directory_;
  std::unique_ptr<FileSystem> files_ = posix_file_system();
  std::unique_ptr<FileFormat> format_ = netcdf_format(*files_);
};

std::size_t freed_bytes_that_hdf5_keeps() {
  std::size_t regular = 0, arrays = 0, blocks = 0, factories = 0;
  H5get_free_list_sizes(&regular, &arrays, &blocks, &factories);
  return regular + arrays + blocks;
}

// It keeps 4.5 MiB after this file. The sizes also count 0.2 MiB that it goes on to use.
TEST_F(NetcdfFormatTest, hdf5_keeps_memory_that_it_has_freed_until_the_process_is_a_servers) {
  FileDefinition definition = mixed_definition();
  for (int v = 0; v < 100; ++v)
    definition.variables.push_back({"v" + std::to_string(v), ElementType::float64, {2}, 0, {}});
  const std::size_t enough = std::size_t{1} << 20;

  write("a_models_too.nc", definition, 2, {8, 6});
  EXPECT_GT(freed_bytes_that_hdf5_keeps(), enough);

  keep_no_freed_memory();
  write("a_servers.nc", definition, 2, {8, 6});
  EXPECT_LT(freed_bytes_that_hdf5_keeps(), enough);
  H5set_free_list_limits(-1, -1, -1, -1, -1, -1);  // this process goes on with other tests
}

TEST_F(NetcdfFormatTest, a_file_of_parts_holds_every_value) {
  const std::string path = write("exact.nc", mixed_definition(), 1, {4, 3});

  expect_values(path, mixed_definition(), {4, 3});
}

TEST_F(NetcdfFormatTest, records_of_later_growths_follow_the_first) {
  const std::string path = write("grown.nc", mixed_definition(), 3, {12, 9});

  expect_values(path, mixed_definition(), {12, 9});
}

TEST_F(NetcdfFormatTest, finish_cuts_to_fewer_records) {
  // Within the last growth, in the middle of chunks that records share; before it; unevenly.
  expect_values(write("a.nc", mixed_definition(), 2, {7, 5}), mixed_definition(), {7, 5});
  expect_values(write("b.nc", mixed_definition(), 2, {1, 6}), mixed_definition(), {1, 6});
  expect_values(write("c.nc", mixed_definition(), 3, {9, 0}), mixed_definition(), {9, 0});
}

TEST_F(NetcdfFormatTest, finish_cuts_to_no_records) {
  expect_values(write("grown.nc", mixed_definition(), 1, {0, 0}), mixed_definition(), {0, 0});
  expect_values(write("never.nc", mixed_definition(), 0, {0, 0}), mixed_definition(), {0, 0});
}

TEST_F(NetcdfFormatTest, the_bytes_do_not_depend_on_who_wrote_which_part_when) {
  const std::string reference = content(write("0.nc", mixed_definition(), 2, {7, 6}, 0, 1));

  for (unsigned seed = 1; seed < 20; ++seed) {
    const std::string path = directory_.path(std::to_string(seed) + ".nc");
    write(std::to_string(seed) + ".nc", mixed_definition(), 2, {7, 6}, seed, 1 + static_cast<int>(seed % 5));
    EXPECT_TRUE(content(path) == reference) << "seed " << seed;
  }
}

TEST_F(NetcdfFormatTest, the_bytes_do_not_depend_on_when_parts_are_written) {
  const FileDefinition definition = mixed_definition();
  const std::string at_once = write("at_once.nc", definition, 2, {8, 6});
  const std::string late = directory_.path("late.nc");
  const auto writer = format_->create(late, definition);
  std::vector<AxisGrowth> growths;

  for (const std::uint32_t axis : {0U, 1U, 0U, 1U}) growths.push_back(writer->grow(axis));
  for (unsigned i = 4; i-- > 0;) write_growth(*files_, late, definition, growths[i], i, 2);
  writer->finish(std::vector<Index>{8, 6});

  EXPECT_TRUE(content(late) == content(at_once));
}

TEST_F(NetcdfFormatTest, growing_leaves_alone_what_is_written) {
  const FileDefinition definition = mixed_definition();
  const std::string path = directory_.path("open.nc");
  const auto writer = format_->create(path, definition);
  // cells: 9000 * 8 bytes, a chunk a record. total: 3 records a chunk, so that growths share none; rain: 4.
  write_growth(*files_, path, definition, writer->grow(0), 1, 1);
  write_growth(*files_, path, definition, writer->grow(1), 1, 1);

  for (int i = 0; i < 5; ++i) {
    writer->grow(0);
    writer->grow(1);
  }
  writer->finish(std::vector<Index>{4, 3});

  expect_values(path, definition, {4, 3});
}

TEST_F(NetcdfFormatTest, growths_may_end_within_a_chunk) {
  // 20000 bytes a record: 3 records a chunk, and space for 4 at a time.
  FileDefinition definition;
  definition.dimensions = {{"x", 2500, {}, {}}};
  definition.axes = {{"time", true, {}, 4}};
  definition.variables = {{"v", ElementType::float64, {0}, 0, {}}};

  expect_values(write("exact.nc", definition, 3, {12}), definition, {12});
  expect_values(write("cut.nc", definition, 3, {10}), definition, {10});
}

TEST_F(NetcdfFormatTest, a_record_above_16_MiB_is_cut_and_padded) {
  FileDefinition definition;
  definition.dimensions = {{"x", 1024, {}, {}}, {"y", 512, {}, {}}, {"z", 5, {}, {}}};
  definition.axes = {{"time", false, {}, 2}};
  definition.variables = {{"v", ElementType::float64, {0, 1, 2}, 0, {}}};
  const std::string path = directory_.path("cut.nc");
  const auto writer = format_->create(path, definition);

  const AxisGrowth growth = writer->grow(0);
  write_growth(*files_, path, definition, growth, 1, 2);
  writer->finish(std::vector<Index>{2});

  // Levels of 4 MiB: two chunks of 3 levels, the last level of the second is padding.
  ASSERT_EQ(growth.variables[0].second[1].blocks.size(), 2U);
  EXPECT_EQ(growth.variables[0].second[1].blocks[1].region, (Region{{0, 0, 3}, {1024, 512, 3}}));
  expect_values(path, definition, {2});
}

TEST_F(NetcdfFormatTest, unwritten_times_are_missing_and_all_else_is_zero) {
  const std::string path = directory_.path("unwritten.nc");
  const auto writer = format_->create(path, mixed_definition());
  writer->grow(0);
  writer->grow(0);
  writer->finish(std::vector<Index>{6, 0});

  const ReadFile file(path);
  EXPECT_EQ(file.values("time"), std::vector<double>(6, NC_FILL_DOUBLE));
  EXPECT_EQ(file.values("time_bnds"), std::vector<double>(12, 0));
  EXPECT_EQ(file.values("theta"), std::vector<double>(6 * 105, 0));
  EXPECT_EQ(file.values("count"), std::vector<double>(6, 0));
}

TEST_F(NetcdfFormatTest, a_remark_at_the_end_is_an_attribute_of_the_file_and_changes_nothing_else) {
  const FileDefinition definition = mixed_definition();
  const std::string path = directory_.path("f.nc");
  const auto writer = format_->create(path, definition);
  for (std::uint32_t axis = 0; axis < definition.axes.size(); ++axis) {
    write_growth(*files_, path, definition, writer->grow(axis), 1 + axis, 3);
  }
  const std::string text(20000, 'a');

  writer->remark("missing_parts", text);
  const std::vector<Index> records = {1, 1};
  writer->finish(records);

  const ReadFile file(path);
  EXPECT_EQ(file.text("", "missing_parts"), text);
  EXPECT_EQ(file.text("", "title"), "a test");
  expect_values(path, definition, records);
}

TEST_F(NetcdfFormatTest, writes_types_attributes_and_coordinates) {
  const std::string path = write("exact.nc", mixed_definition(), 1, {4, 3});

  const ReadFile file(path);
  EXPECT_EQ(file.type("theta"), NC_DOUBLE);
  EXPECT_EQ(file.type("rain"), NC_FLOAT);
  EXPECT_EQ(file.type("count"), NC_INT);
  EXPECT_EQ(file.type("column"), NC_INT64);
  EXPECT_EQ(file.values("y"), (std::vector<double>{10, 20, 30, 40, 50}));
  EXPECT_EQ(file.text("x", "units"), "m");
  EXPECT_EQ(file.text("theta", "units"), "K");
  EXPECT_EQ(file.text("time", "bounds"), "time_bnds");
  EXPECT_EQ(file.text("", "title"), "a test");
  EXPECT_EQ(file.number("theta", "_FillValue"), NC_FILL_DOUBLE);
  EXPECT_EQ(file.number("rain", "_FillValue"), static_cast<double>(NC_FILL_FLOAT));
  EXPECT_EQ(file.number("count", "_FillValue"), NC_FILL_INT);
  EXPECT_EQ(file.number("column", "_FillValue"), static_cast<double>(NC_FILL_INT64));
}

TEST_F(NetcdfFormatTest, a_finished_file_may_be_changed_by_the_library) {
  const std::string path = write("changed.nc", mixed_definition(), 2, {7, 6});
  int file = 0, id = 0;

  ASSERT_EQ(nc_open(path.c_str(), NC_WRITE, &file), NC_NOERR);
  EXPECT_EQ(nc_put_att_text(file, NC_GLOBAL, "history", 4, "seen"), NC_NOERR);
  EXPECT_EQ(nc_inq_varid(file, "total", &id), NC_NOERR);
  const std::size_t next = 6;
  const double value = test_value(5, 6, 0);
  EXPECT_EQ(nc_put_var1_double(file, id, &next, &value), NC_NOERR);
  EXPECT_EQ(nc_close(file), NC_NOERR);

  EXPECT_EQ(ReadFile(path).text("", "history"), "seen");
  EXPECT_EQ(ReadFile(path).value("total", {6}), value);
  EXPECT_EQ(ReadFile(path).value("total", {5}), test_value(5, 5, 0));
}

TEST_F(NetcdfFormatTest, variables_keep_the_order_of_the_definition) {
  const std::string path = write("order.nc", mixed_definition(), 1, {4, 3});
  int file = 0;
  std::vector<std::string> names;

  ASSERT_EQ(nc_open(path.c_str(), NC_NOWRITE, &file), NC_NOERR);
  std::array<char, NC_MAX_NAME + 1> name = {};
  for (int id = 0; nc_inq_varname(file, id, name.data()) == NC_NOERR; ++id) names.emplace_back(name.data());
  nc_close(file);

  EXPECT_EQ(names, (std::vector<std::string>{"x", "y", "time", "time_bnds", "time_instantaneous", "theta",
                                             "rain", "count", "column", "cells", "total"}));
}

TEST_F(NetcdfFormatTest, a_definition_grows_with_the_number_of_variables_not_its_square) {
  FileDefinition definition;
  definition.axes = {{"time", false, {}, 1}};
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    definition.axes[0].attributes.push_back({name, "text"});
  for (int v = 0; v < 500; ++v) {
    definition.variables.push_back({"v" + std::to_string(v), ElementType::float64, {}, 0, {}});
  }

  // Some 500 bytes a variable; it was 3 MB when the attributes of time were written first.
  EXPECT_LT(std::filesystem::file_size(write("many.nc", definition, 0, {0})), 500'000);
}

TEST_F(NetcdfFormatTest, a_variable_may_have_the_name_of_a_dimension) {
  FileDefinition definition;
  definition.dimensions = {{"x", 3, {}, {}}, {"height", 2, {}, {}}};
  definition.axes = {{"time", false, {}, 2}};
  definition.variables = {{"height", ElementType::float64, {0, 1}, 0, {}}};

  expect_values(write("names.nc", definition, 1, {2}), definition, {2});
}

TEST_F(NetcdfFormatTest, a_file_may_have_no_variables_and_no_axes) {
  FileDefinition definition;
  definition.axes = {{"time", false, {}, 2}};

  expect_values(write("axis.nc", definition, 1, {1}), definition, {1});
  expect_values(write("empty.nc", FileDefinition{}, 0, {}), FileDefinition{}, {});
}

TEST_F(NetcdfFormatTest, growing_loses_nothing_that_is_written_meanwhile) {
  const FileDefinition definition = mixed_definition();
  const std::string path = directory_.path("busy.nc");
  const auto writer = format_->create(path, definition);
  const AxisGrowth first = writer->grow(0), other = writer->grow(1);

  std::thread server([&] {
    for (unsigned seed = 0; seed < 30; ++seed) {
      write_growth(*files_, path, definition, first, seed, 2);
      write_growth(*files_, path, definition, other, seed, 2);
    }
  });
  for (int i = 0; i < 30; ++i) {
    writer->grow(0);
    writer->grow(1);
  }
  server.join();
  writer->finish(std::vector<Index>{4, 3});

  expect_values(path, definition, {4, 3});
}

/// Remembers what was reserved, and keeps files sparse.
class SparseFileSystem : public PassingFiles {
 public:
  void reserve(const std::string&, std::uint64_t first, std::uint64_t length) override {
    reserved_first = first;
    reserved_length = length;
  }

  std::uint64_t reserved_first = 0, reserved_length = 0;
};

FileDefinition random_definition(std::mt19937& random) {
  FileDefinition definition;
  for (int d = 0; d < 3; ++d) {
    definition.dimensions.push_back(
        {"d" + std::to_string(d), 1 + static_cast<Index>(random() % 200), {}, {}});
  }
  definition.axes = {{"time", random() % 2 == 0, {}, 1 + static_cast<Index>(random() % 300)},
                     {"other", random() % 2 == 0, {}, 1 + static_cast<Index>(random() % 10)}};
  for (int v = static_cast<int>(random() % 12); v >= 0; --v) {
    FileVariable variable{"v" + std::to_string(v), static_cast<ElementType>(random() % 4), {}, 0, {}};
    variable.axis = random() % 2;
    for (std::uint32_t d = 0; d < random() % 4; ++d) variable.dimensions.push_back(d);
    definition.variables.push_back(variable);
  }
  return definition;
}

TEST_F(NetcdfFormatTest, room_is_reserved_before_it_is_taken_and_not_much_more) {
  SparseFileSystem sparse;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const std::string path = directory_.path(std::to_string(seed) + ".nc");
    const auto writer = netcdf_format(sparse)->create(path, random_definition(random));
    EXPECT_LE(std::filesystem::file_size(path), sparse.reserved_length) << "seed " << seed;

    for (int i = 0; i < 6; ++i) {
      const std::uint64_t before = std::filesystem::file_size(path);
      writer->grow(random() % 2);
      const std::uint64_t taken = std::filesystem::file_size(path) - before;
      EXPECT_EQ(sparse.reserved_first, before);
      EXPECT_LE(taken, sparse.reserved_length) << "seed " << seed;
      EXPECT_LE(sparse.reserved_length, 2 * taken + 200'000) << "seed " << seed;
    }
    std::filesystem::remove(path);
  }
}

TEST_F(NetcdfFormatTest, a_file_that_ends_early_gives_back_its_room) {
  FileDefinition definition;
  definition.dimensions = {{"x", 128, {}, {}}, {"y", 128, {}, {}}};
  definition.axes = {{"time", true, {}, 300}};
  for (const char* name : {"a", "b", "c"})
    definition.variables.push_back({name, ElementType::float64, {0, 1}, 0, {}});
  const std::string path = directory_.path("early.nc");
  const auto writer = format_->create(path, definition);
  writer->grow(0);

  writer->finish(std::vector<Index>{2});

  // 2 records of 3 variables of 128 KiB, and what stands around them.
  struct stat status = {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_LT(status.st_size, (6 * 128 + 200) << 10);
  EXPECT_LT(status.st_blocks * 512, (6 * 128 + 200) << 10);
}

TEST_F(NetcdfFormatTest, elements_beyond_2_and_4_GiB_are_found_again) {
  FileDefinition definition;
  definition.dimensions = {{"x", 1024, {}, {}}, {"y", 1024, {}, {}}, {"z", 384, {}, {}}};
  definition.axes = {{"time", false, {}, 2}};
  definition.variables = {{"v", ElementType::float64, {0, 1, 2}, 0, {}}};  // 3 GiB a record
  const std::string path = directory_.path("large.nc");
  SparseFileSystem sparse;
  const auto writer = netcdf_format(sparse)->create(path, definition);

  const AxisGrowth growth = writer->grow(0);
  for (Index record = 0; record < 2; ++record) {
    for (const Index z : {Index{0}, Index{300}, Index{383}}) {
      const double value = static_cast<double>(1000 * record + z);
      const auto stretches =
          stretches_of(growth.variables[0].second[record], {{1023, 1023, z}, {1, 1, 1}}, 8);
      ASSERT_EQ(stretches.size(), 1U);
      sparse.open_parts(path)->write_at(stretches[0].file_offset, std::as_bytes(std::span(&value, 1)));
    }
  }
  writer->finish(std::vector<Index>{2});

  const ReadFile file(path);
  for (std::size_t record = 0; record < 2; ++record) {
    for (const std::size_t z : {0, 300, 383}) {
      EXPECT_EQ(file.value("v", {record, z, 1023, 1023}),
                1000.0 * static_cast<double>(record) + static_cast<double>(z));
    }
    EXPECT_EQ(file.value("v", {record, 200, 5, 5}), 0);
  }
  struct stat status = {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_GT(status.st_size, std::int64_t{6} << 30);
  EXPECT_LT(status.st_blocks * 512, std::int64_t{64} << 20);
}

}  // namespace
}  // namespace pileus::netcdf
