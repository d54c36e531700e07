#include "formats/netcdf/input_file.h"

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "core/error.h"
#include "formats/netcdf/classic_length.h"

namespace pileus::netcdf {

InputFile::InputFile(const std::string& path) : path_(path) {
  const int status = nc_open(path.c_str(), NC_NOWRITE, &file_);
  if (status == NC_ENOTNC) refuse("it is no netCDF file");
  check(status, "it cannot be opened");
  try {
    check_length();
  } catch (...) {
    nc_close(file_);
    throw;
  }
}

InputFile::~InputFile() { nc_close(file_); }

void InputFile::refuse(const std::string& what) const { throw UsageError(path_ + ": " + what); }

void InputFile::check(int status, const std::string& what) const {
  if (status != NC_NOERR) refuse(what + ": " + nc_strerror(status));
}

void InputFile::check_length() const {
  std::error_code unknown;
  const std::uint64_t length = std::filesystem::file_size(path_, unknown);
  const std::uint64_t needed = unknown ? 0 : classic_length(path_);
  if (needed > length) {
    refuse("it is cut off: it has " + std::to_string(length) + " bytes, and should have " +
           std::to_string(needed));
  }
}

bool InputFile::has_variable(const std::string& name) const {
  int id = 0;
  return nc_inq_varid(file_, name.c_str(), &id) == NC_NOERR;
}

std::vector<std::string> InputFile::variables() const {
  int count = 0;
  check(nc_inq_nvars(file_, &count), "its variables cannot be read");
  std::vector<std::string> names;
  for (int id = 0; id < count; ++id) {
    std::array<char, NC_MAX_NAME + 1> name{};
    check(nc_inq_varname(file_, id, name.data()), "its variables cannot be read");
    names.emplace_back(name.data());
  }
  return names;
}

std::optional<Index> InputFile::whole_number(const std::string& variable, const char* attribute) const {
  const auto found = number(variable, attribute);
  if (!found) return std::nullopt;
  return static_cast<Index>(*found);
}

std::optional<Index> InputFile::dimension(const std::string& name) const {
  int id = 0;
  std::size_t size = 0;
  if (nc_inq_dimid(file_, name.c_str(), &id) != NC_NOERR) return std::nullopt;
  check(nc_inq_dimlen(file_, id, &size), "its dimension " + name + " cannot be read");
  return static_cast<Index>(size);
}

int InputFile::id_of(const std::string& variable) const {
  int id = 0;
  if (nc_inq_varid(file_, variable.c_str(), &id) != NC_NOERR) refuse("it has no variable " + variable);
  return id;
}

std::vector<Index> InputFile::shape(const std::string& variable) const {
  std::vector<Index> shape;
  for (const std::string& name : dimension_names(variable)) shape.push_back(*dimension(name));
  return shape;
}

std::vector<std::string> InputFile::dimension_names(const std::string& variable) const {
  const int id = id_of(variable);
  int rank = 0;
  check(nc_inq_varndims(file_, id, &rank), "its variable " + variable + " cannot be read");
  std::vector<int> dimensions(static_cast<std::size_t>(rank));
  check(nc_inq_vardimid(file_, id, dimensions.data()), "its variable " + variable + " cannot be read");
  std::vector<std::string> names;
  for (const int dimension : dimensions) {
    std::array<char, NC_MAX_NAME + 1> name{};
    check(nc_inq_dimname(file_, dimension, name.data()), "its dimensions cannot be read");
    names.emplace_back(name.data());
  }
  return names;
}

std::string InputFile::text(const std::string& variable, const std::string& attribute) const {
  const int id = variable.empty() ? NC_GLOBAL : id_of(variable);
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(file_, id, attribute.c_str(), &type, &length) != NC_NOERR) return "";
  const std::string problem = "its " + attribute + " cannot be read";
  if (type == NC_STRING && length == 1) {
    char* string = nullptr;
    check(nc_get_att_string(file_, id, attribute.c_str(), &string), problem);
    std::string text(string != nullptr ? string : "");
    nc_free_string(1, &string);
    return text;
  }
  if (type != NC_CHAR) return "";
  std::string text(length, '\0');
  check(nc_get_att_text(file_, id, attribute.c_str(), text.data()), problem);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::optional<double> InputFile::number(const std::string& variable, const char* attribute) const {
  double value = 0;
  std::size_t length = 0;
  const int id = id_of(variable);
  if (nc_inq_attlen(file_, id, attribute, &length) != NC_NOERR || length != 1) return std::nullopt;
  if (nc_get_att_double(file_, id, attribute, &value) != NC_NOERR) return std::nullopt;
  return value;
}

std::vector<double> InputFile::numbers(const std::string& variable) const {
  const std::vector<Index> sizes = shape(variable);
  return numbers(variable, 0, sizes.empty() ? 1 : sizes.front());
}

std::vector<double> InputFile::numbers(const std::string& variable, Index first, Index count,
                                       Index most) const {
  std::vector<std::size_t> start, counts;
  for (const Index size : shape(variable)) {
    const bool is_slowest = start.empty();
    start.push_back(static_cast<std::size_t>(is_slowest ? first : 0));
    counts.push_back(static_cast<std::size_t>(is_slowest ? count : most > 0 ? most : size));
  }
  return numbers_within(variable, start, counts);
}

/// Row by row, as a range of cells is no box.
std::vector<double> InputFile::numbers_of_cells(const std::string& variable, std::size_t dimensions,
                                                Index first, Index cells) const {
  const std::vector<Index> sizes = shape(variable);
  if (dimensions == 1) return numbers(variable, first, cells);
  std::vector<double> values;
  for (const Index end = first + cells; first < end;) {
    const Index row = first / sizes[1], from = first % sizes[1];
    const Index rows = from == 0 ? (end - first) / sizes[1] : 0;  // whole ones
    const Index count = rows > 0 ? sizes[1] : std::min(sizes[1] - from, end - first);
    std::vector<std::size_t> start(sizes.size(), 0), counts(sizes.begin(), sizes.end());
    start[0] = static_cast<std::size_t>(row);
    start[1] = static_cast<std::size_t>(from);
    counts[0] = static_cast<std::size_t>(std::max<Index>(rows, 1));
    counts[1] = static_cast<std::size_t>(count);
    const std::vector<double> some = numbers_within(variable, start, counts);
    values.insert(values.end(), some.begin(), some.end());
    first += count * std::max<Index>(rows, 1);
  }
  return values;
}

std::vector<double> InputFile::numbers_within(const std::string& variable,
                                              const std::vector<std::size_t>& start,
                                              const std::vector<std::size_t>& counts) const {
  std::size_t all = 1;
  for (const std::size_t count : counts) all *= count;
  std::vector<double> values(all);
  if (all == 0) return values;
  check(nc_get_vara_double(file_, id_of(variable), start.data(), counts.data(), values.data()),
        "its variable " + variable + " cannot be read");
  const auto missing = number(variable, "missing_value"), fill = fill_of(variable);
  const double scale = number(variable, "scale_factor").value_or(1);
  const double offset = number(variable, "add_offset").value_or(0);
  for (double& value : values) {
    const bool is_missing = value == missing || value == fill;
    value = is_missing ? std::numeric_limits<double>::quiet_NaN() : value * scale + offset;
  }
  return values;
}

std::vector<Index> InputFile::integers(const std::string& variable, Index first, Index count) const {
  const std::size_t start = static_cast<std::size_t>(first), all = static_cast<std::size_t>(count);
  std::vector<long long> values(all);
  if (all > 0) {
    check(nc_get_vara_longlong(file_, id_of(variable), &start, &all, values.data()),
          "its variable " + variable + " cannot be read");
  }
  return {values.begin(), values.end()};
}

int InputFile::nc_type_of(const std::string& variable) const {
  nc_type type = NC_NAT;
  check(nc_inq_vartype(file_, id_of(variable), &type), "its variable " + variable + " cannot be read");
  return type;
}

/// What stands where nothing was written. Bytes have no such value unless an attribute says it.
std::optional<double> InputFile::fill_of(const std::string& variable) const {
  if (const auto given = number(variable, "_FillValue")) return given;
  switch (nc_type_of(variable)) {
    case NC_DOUBLE: return NC_FILL_DOUBLE;
    case NC_FLOAT: return static_cast<double>(NC_FILL_FLOAT);
    case NC_SHORT: return NC_FILL_SHORT;
    case NC_INT: return NC_FILL_INT;
    case NC_INT64: return static_cast<double>(NC_FILL_INT64);
    default: return std::nullopt;
  }
}

bool InputFile::has_numbers(const std::string& variable) const {
  const int type = nc_type_of(variable);
  return has_whole_numbers(variable) || type == NC_FLOAT || type == NC_DOUBLE;
}

bool InputFile::has_whole_numbers(const std::string& variable) const {
  switch (nc_type_of(variable)) {
    case NC_BYTE:
    case NC_UBYTE:
    case NC_SHORT:
    case NC_USHORT:
    case NC_INT:
    case NC_UINT:
    case NC_INT64:
    case NC_UINT64: return true;
    default: return false;
  }
}

bool InputFile::fits_floats(const std::string& variable) const {
  switch (nc_type_of(variable)) {
    case NC_FLOAT:
    case NC_BYTE:
    case NC_UBYTE:
    case NC_SHORT:
    case NC_USHORT: return true;
    default: return false;
  }
}

std::optional<ElementType> InputFile::type(const std::string& variable) const {
  nc_type type = NC_NAT;
  check(nc_inq_vartype(file_, id_of(variable), &type), "its variable " + variable + " cannot be read");
  switch (type) {
    case NC_DOUBLE: return ElementType::float64;
    case NC_FLOAT: return ElementType::float32;
    case NC_INT: return ElementType::int32;
    case NC_INT64: return ElementType::int64;
    default: return std::nullopt;
  }
}

bool InputFile::has_records(const std::string& variable) const {
  int rank = 0, growing = 0;
  const int id = id_of(variable);
  check(nc_inq_varndims(file_, id, &rank), "its variable " + variable + " cannot be read");
  if (rank == 0) return false;
  std::vector<int> dimensions(static_cast<std::size_t>(rank)), unlimited(NC_MAX_DIMS);
  check(nc_inq_vardimid(file_, id, dimensions.data()), "its variable " + variable + " cannot be read");
  check(nc_inq_unlimdims(file_, &growing, unlimited.data()), "its dimensions cannot be read");
  unlimited.resize(static_cast<std::size_t>(growing));
  return std::ranges::find(unlimited, dimensions.front()) != unlimited.end();
}

void InputFile::read(const std::string& variable, Index record, std::span<std::byte> bytes) const {
  std::vector<std::size_t> start, count;
  for (const Index size : shape(variable)) {
    const bool is_record = start.empty() && record >= 0;
    start.push_back(static_cast<std::size_t>(is_record ? record : 0));
    count.push_back(static_cast<std::size_t>(is_record ? 1 : size));
  }
  check(nc_get_vara(file_, id_of(variable), start.data(), count.data(), bytes.data()),
        "its variable " + variable + " cannot be read");
}

}  // namespace pileus::netcdf
