#pragma once
// For the tests of this folder: records written in parts as servers do, and values
// read back through the netCDF library.

#include <gtest/gtest.h>
#include <netcdf.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/testing/temporary_directory.h"
#include "formats/netcdf/netcdf_format.h"

namespace pileus::netcdf {

using pileus::testing::TemporaryDirectory;

inline std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The text of the error of `Kind` that `call` throws.
template <class Kind, class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Kind& error) {
    return error.what();
  }
  return "no error";
}

inline std::vector<Index> extents_of(const FileDefinition& definition, std::uint32_t variable) {
  std::vector<Index> extents;
  for (const auto d : definition.variables[variable].dimensions)
    extents.push_back(definition.dimensions[d].size);
  return extents;
}

/// What the element has: no two elements of a test share a value, and float32 holds each exactly.
inline double test_value(std::uint32_t variable, Index record, Index element) {
  return static_cast<double>(variable * 1'000'000 + record * 10'000 + element);
}

/// Cuts a region in two at a random place of a random dimension, `times` times over.
inline std::vector<Region> random_parts(std::mt19937& random, const std::vector<Index>& extents, int times) {
  std::vector<Region> parts = {{std::vector<Index>(extents.size(), 0), extents}};
  for (int i = 0; i < times && !extents.empty(); ++i) {
    Region& whole = parts[random() % parts.size()];
    const std::size_t d = random() % extents.size();
    if (whole.count[d] < 2) continue;
    const Index lower = 1 + static_cast<Index>(random() % static_cast<std::size_t>(whole.count[d] - 1));
    Region rest = whole;
    rest.start[d] += lower;
    rest.count[d] -= lower;
    whole.count[d] = lower;
    parts.push_back(rest);
  }
  return parts;
}

template <class T>
std::vector<std::byte> part_bytes(const std::vector<Index>& extents, const Region& part,
                                  std::uint32_t variable, Index record) {
  std::vector<T> values(static_cast<std::size_t>(part.size()));
  for (const Stretch& stretch : contiguous_stretches(part, extents)) {
    for (Index i = 0; i < stretch.length; ++i) {
      values[stretch.local_offset + i] =
          static_cast<T>(test_value(variable, record, stretch.global_offset + i));
    }
  }
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

inline std::vector<std::byte> part_bytes(ElementType type, const std::vector<Index>& extents,
                                         const Region& part, std::uint32_t variable, Index record) {
  switch (type) {
    case ElementType::float64: return part_bytes<double>(extents, part, variable, record);
    case ElementType::float32: return part_bytes<float>(extents, part, variable, record);
    case ElementType::int32: return part_bytes<std::int32_t>(extents, part, variable, record);
    case ElementType::int64: return part_bytes<std::int64_t>(extents, part, variable, record);
    case ElementType::boolean: return part_bytes<std::int8_t>(extents, part, variable, record);
    case ElementType::character: return part_bytes<char>(extents, part, variable, record);
  }
  return {};
}

/// Writes all that an axis gained, as `writers` servers would: cut at random, in an order at random. Record r
/// has the time 60 (r + 1) and the bounds 60 r and 60 (r + 1).
inline void write_growth(FileSystem& files, const std::string& path, const FileDefinition& definition,
                         const AxisGrowth& growth, unsigned seed, int writers) {
  std::mt19937 random(seed);
  std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> writes;
  const auto add = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
    writes.emplace_back(offset, std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
  for (Index i = 0; i < growth.records; ++i) {
    const Index record = growth.first_record + i;
    const std::vector<double> bounds = {60.0 * static_cast<double>(record),
                                        60.0 * static_cast<double>(record + 1)};
    add(growth.time_offsets[i], std::as_bytes(std::span(bounds).last(1)));
    if (!growth.bounds_offsets.empty()) add(growth.bounds_offsets[i], std::as_bytes(std::span(bounds)));
    for (const auto& [variable, placements] : growth.variables) {
      const ElementType type = definition.variables[variable].type;
      const std::vector<Index> extents = extents_of(definition, variable);
      for (const Region& part : random_parts(random, extents, 2 * writers)) {
        const auto bytes = part_bytes(type, extents, part, variable, record);
        for (const FileStretch& stretch : stretches_of(placements[i], part, size_bytes(type))) {
          add(stretch.file_offset, std::span(bytes).subspan(stretch.part_offset, stretch.length));
        }
      }
    }
  }
  std::shuffle(writes.begin(), writes.end(), random);

  std::vector<std::unique_ptr<PartFile>> servers;
  for (int i = 0; i < writers; ++i) servers.push_back(files.open_parts(path));
  for (const auto& [offset, bytes] : writes) servers[random() % servers.size()]->write_at(offset, bytes);
  for (const auto& server : servers) server->sync();
}

/// A file as the netCDF library reads it.
class ReadFile {
 public:
  explicit ReadFile(const std::string& path) { check(nc_open(path.c_str(), NC_NOWRITE, &file_)); }
  ~ReadFile() { nc_close(file_); }
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;

  /// Slowest first, with the number of records in front.
  std::vector<Index> shape(const std::string& variable) const {
    const int id = id_of(variable);
    int rank = 0;
    check(nc_inq_varndims(file_, id, &rank));
    std::vector<int> dimensions(static_cast<std::size_t>(rank));
    check(nc_inq_vardimid(file_, id, dimensions.data()));
    std::vector<Index> shape;
    for (const int d : dimensions) {
      std::size_t size = 0;
      check(nc_inq_dimlen(file_, d, &size));
      shape.push_back(static_cast<Index>(size));
    }
    return shape;
  }
  std::vector<double> values(const std::string& variable) const {
    std::size_t size = 1;
    for (const Index n : shape(variable)) size *= static_cast<std::size_t>(n);
    std::vector<double> values(size);
    if (size > 0) check(nc_get_var_double(file_, id_of(variable), values.data()));
    return values;
  }
  double value(const std::string& variable, const std::vector<std::size_t>& slowest_first) const {
    double value = 0;
    check(nc_get_var1_double(file_, id_of(variable), slowest_first.data(), &value));
    return value;
  }
  nc_type type(const std::string& variable) const {
    nc_type type = NC_NAT;
    check(nc_inq_vartype(file_, id_of(variable), &type));
    return type;
  }
  double number(const std::string& variable, const char* attribute) const {
    double value = 0;
    check(nc_get_att_double(file_, id_of(variable), attribute, &value));
    return value;
  }
  std::string text(const std::string& variable, const char* attribute) const {
    const int id = variable.empty() ? NC_GLOBAL : id_of(variable);
    std::size_t length = 0;
    check(nc_inq_attlen(file_, id, attribute, &length));
    std::string text(length, ' ');
    check(nc_get_att_text(file_, id, attribute, text.data()));
    return text;
  }

 private:
  int id_of(const std::string& variable) const {
    int id = 0;
    check(nc_inq_varid(file_, variable.c_str(), &id));
    return id;
  }
  static void check(int status) {
    if (status != NC_NOERR) throw OutputError(nc_strerror(status));
  }

  int file_ = 0;
};

}  // namespace pileus::netcdf
