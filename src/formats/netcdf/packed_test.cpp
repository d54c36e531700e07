// Compressed variables: what stands in the file is what the netCDF library itself would have written.

#include <cmath>

#include "formats/netcdf/hdf5_file.h"
#include "formats/netcdf/pack.h"
#include "formats/netcdf/test_file.h"
#include "publishing/chunks/pack_chunk.h"

namespace pileus::netcdf {
namespace {

constexpr Index kX = 200, kY = 130, kZ = 40;  // 8 MB a record: two chunks of 20 levels each

Compression deflated(int level, bool is_shuffled) {
  return {&codecs::deflate(), level, is_shuffled ? Shuffle::bytes : Shuffle::none};
}

FileDefinition definition_of(const Compression& compression) {
  FileDefinition definition;
  definition.dimensions = {{"x", kX, {}, {}}, {"y", kY, {}, {}}, {"z", kZ, {}, {}}};
  definition.axes = {{"time", false, {}, 4}};
  definition.variables = {{"w", ElementType::float64, {0, 1, 2}, 0, {}, compression},
                          {"p", ElementType::float64, {0}, 0, {}, {}},
                          {"q", ElementType::float32, {0, 1}, 0, {}, compression}};
  return definition;
}

/// Smooth, so that there is something to compress, and different in every record.
double smooth(Index record, Index element) {
  return std::floor(100 * std::sin(static_cast<double>(element) / 5000) + static_cast<double>(record));
}

Array values_of(const std::vector<Index>& extents, Index record) {
  std::vector<double> values(static_cast<std::size_t>(Region{{}, extents}.size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = smooth(record, static_cast<Index>(i));
  return make_array(std::move(values), extents);
}

PackedRecord packed(const FileFormat& format, const FileDefinition& definition, std::uint32_t variable,
                    Index record) {
  const std::vector<Index> extents = extents_of(definition, variable);
  const Region all{std::vector<Index>(extents.size(), 0), extents};
  const std::vector<Record> parts = {{VariableId(0), {}, all, values_of(extents, record), nullptr}};
  const FileVariable& described = definition.variables[variable];
  PackedRecord out{variable, {}};
  for (const Region& region : format.packed_regions(extents, described.type, described.compression)) {
    out.chunks.push_back(
        pack_chunk(format, parts, {described.type}, region, {0, 0, described.compression}, 0));
  }
  return out;
}

void write_file(const std::string& path, const FileDefinition& definition, Index records) {
  const auto files = posix_file_system();
  const auto format = netcdf_format(*files);
  const auto writer = format->create(path, definition);
  const AxisGrowth growth = writer->grow(0);
  EXPECT_EQ(growth.variables.size(), 1U);  // only p has a place before it is written
  for (Index record = 0; record < records; ++record) {
    const std::vector<PackedRecord> both = {packed(*format, definition, 0, record),
                                            packed(*format, definition, 2, record)};
    writer->write_packed(record, both);
  }
  const std::vector<Index> count = {records};
  writer->finish(count);
}

/// The same variables as the library writes them, chunk by chunk.
void write_with_library(const std::string& path, int level, bool is_shuffled, Index records) {
  int file = 0, t = 0, x = 0, y = 0, z = 0, w = 0, q = 0;
  ASSERT_EQ(nc_create(path.c_str(), NC_NETCDF4, &file), NC_NOERR);
  nc_set_fill(file, NC_NOFILL, nullptr);
  nc_def_dim(file, "time", NC_UNLIMITED, &t);
  nc_def_dim(file, "x", kX, &x);
  nc_def_dim(file, "y", kY, &y);
  nc_def_dim(file, "z", kZ, &z);
  const int dims[] = {t, z, y, x}, dims_q[] = {t, y, x};
  nc_def_var(file, "w", NC_DOUBLE, 4, dims, &w);
  nc_def_var(file, "q", NC_FLOAT, 3, dims_q, &q);
  const std::size_t chunk[] = {1, 20, kY, kX}, chunk_q[] = {1, kY, kX};
  nc_def_var_chunking(file, w, NC_CHUNKED, chunk);
  nc_def_var_chunking(file, q, NC_CHUNKED, chunk_q);
  nc_def_var_deflate(file, w, is_shuffled ? 1 : 0, 1, level);
  nc_def_var_deflate(file, q, is_shuffled ? 1 : 0, 1, level);
  nc_enddef(file);
  for (Index record = 0; record < records; ++record) {
    const auto r = static_cast<std::size_t>(record);
    const std::size_t start[] = {r, 0, 0, 0}, count[] = {1, kZ, kY, kX}, count_q[] = {1, kY, kX};
    const Array of_w = values_of({kX, kY, kZ}, record), of_q = values_of({kX, kY}, record);
    ASSERT_EQ(nc_put_vara_double(file, w, start, count, of_w.as<double>().data()), NC_NOERR);
    ASSERT_EQ(nc_put_vara_double(file, q, start, count_q, of_q.as<double>().data()), NC_NOERR);
  }
  ASSERT_EQ(nc_close(file), NC_NOERR);
}

std::vector<std::byte> raw_chunk(const std::string& path, const std::string& variable,
                                 const std::vector<hsize_t>& offset, std::uint32_t& skipped) {
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Hdf5Id dataset(H5Dopen2(file.get(), variable.c_str(), H5P_DEFAULT), H5Dclose);
  hsize_t size = 0;
  EXPECT_GE(H5Dget_chunk_storage_size(dataset.get(), offset.data(), &size), 0);
  std::vector<std::byte> bytes(size);
  EXPECT_GE(H5Dread_chunk(dataset.get(), H5P_DEFAULT, offset.data(), &skipped, bytes.data()), 0);
  return bytes;
}

class Packed : public ::testing::TestWithParam<std::pair<int, bool>> {};

TEST_P(Packed, chunks_are_those_that_the_library_writes) {
  const auto [level, is_shuffled] = GetParam();
  const TemporaryDirectory directory;
  write_file(directory.path("ours.nc"), definition_of(deflated(level, is_shuffled)), 3);
  write_with_library(directory.path("theirs.nc"), level, is_shuffled, 3);

  for (hsize_t record = 0; record < 3; ++record) {
    for (const auto& [variable, offset] : std::vector<std::pair<std::string, std::vector<hsize_t>>>{
             {"w", {record, 0, 0, 0}}, {"w", {record, 20, 0, 0}}, {"q", {record, 0, 0}}}) {
      std::uint32_t ours = 9, theirs = 8;
      const auto expected = raw_chunk(directory.path("theirs.nc"), variable, offset, theirs);
      EXPECT_GT(expected.size(), 100U);
      EXPECT_TRUE(raw_chunk(directory.path("ours.nc"), variable, offset, ours) == expected)
          << variable << " in record " << record;
      EXPECT_EQ(ours, theirs);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Packed,
                         ::testing::Values(std::pair(1, true), std::pair(1, false), std::pair(6, true)));

class OtherCodecs : public ::testing::TestWithParam<Compression> {};

/// By the filters of HDF5 that are registered here; tests/test_codecs.py reads such files with others.
TEST_P(OtherCodecs, give_the_values_back) {
  const TemporaryDirectory directory;
  write_file(directory.path("f.nc"), definition_of(GetParam()), 2);

  const ReadFile file(directory.path("f.nc"));
  const std::vector<double> found = file.values("w");
  const Index size = kX * kY * kZ;
  ASSERT_EQ(std::ssize(found), 2 * size);
  for (Index at = 0; at < 2 * size; ++at) {
    ASSERT_EQ(found[static_cast<std::size_t>(at)], smooth(at / size, at % size)) << at;
  }
  std::uint32_t skipped = 9;
  EXPECT_LT(raw_chunk(directory.path("f.nc"), "w", {1, 20, 0, 0}, skipped).size(), 4U << 20U);
  EXPECT_EQ(skipped, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, OtherCodecs,
                         ::testing::Values(Compression{&codecs::zstd(), 1, Shuffle::bytes},
                                           Compression{&codecs::zstd(), 9, Shuffle::none},
                                           Compression{&codecs::blosc(), 5, Shuffle::bytes},
                                           Compression{&codecs::blosc(), 1, Shuffle::bits},
                                           Compression{&codecs::blosc(), 1, Shuffle::none}));

TEST(Packing, gives_the_values_back_and_cuts_what_was_not_written) {
  const TemporaryDirectory directory;
  write_file(directory.path("f.nc"), definition_of(deflated(2, true)), 3);

  const ReadFile file(directory.path("f.nc"));
  EXPECT_EQ(file.shape("w"), (std::vector<Index>{3, kZ, kY, kX}));
  const std::vector<double> found = file.values("w");
  const Index size = kX * kY * kZ;
  for (Index at = 0; at < 3 * size; ++at) {
    ASSERT_EQ(found[static_cast<std::size_t>(at)], smooth(at / size, at % size)) << at;
  }
}

TEST(Packing, refuses_a_record_that_the_file_does_not_expect) {
  const TemporaryDirectory directory;
  const auto files = posix_file_system();
  const auto format = netcdf_format(*files);
  const auto writer = format->create(directory.path("f.nc"), definition_of(deflated(1, true)));
  writer->grow(0);

  const std::vector<PackedRecord> of_p = {{1, {{}}}}, too_few = {{0, {}}};
  EXPECT_THROW(writer->write_packed(0, of_p), UsageError);
  EXPECT_THROW(writer->write_packed(0, too_few), UsageError);
}

}  // namespace
}  // namespace pileus::netcdf
