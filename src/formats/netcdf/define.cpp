#include "formats/netcdf/define.h"

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "formats/audit_series.h"
#include "formats/netcdf/dimension_scales.h"
#include "formats/netcdf/filters.h"
#include "formats/netcdf/hdf5_file.h"
#include "formats/netcdf/static_values.h"

namespace pileus::netcdf {
namespace {

constexpr const char* kBoundsDimension = "bnds";

/// The library does not say in the file which dimensions variables have; older ones always do.
#ifdef NC_NODIMSCALE_ATTACH
constexpr int kAttachesNothing = NC_NODIMSCALE_ATTACH;
#else
constexpr int kAttachesNothing = 0;
#endif

nc_type type_of(ElementType type) {
  switch (type) {
    case ElementType::float64: return NC_DOUBLE;
    case ElementType::float32: return NC_FLOAT;
    case ElementType::int32: return NC_INT;
    case ElementType::int64: return NC_INT64;
    case ElementType::boolean: return NC_BYTE;
    case ElementType::character: return NC_CHAR;
  }
  return NC_NAT;
}

/// One file between its creation and its first close.
class Definer {
 public:
  Definer(const std::string& path, Index largest_packed) : path_(path), largest_packed_(largest_packed) {
    errno = 0;
    check(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER | kAttachesNothing, &file_), "define it");
    is_open_ = true;
    written_.emplace(path);
    // Records are allotted, not filled: a filled chunk would be written twice, or over what others wrote.
    check(nc_set_fill(file_, NC_NOFILL, nullptr), "switch filling off");
  }
  ~Definer() {
    if (is_open_) nc_abort(file_);
  }
  Definer(const Definer&) = delete;
  Definer& operator=(const Definer&) = delete;

  int dimension(const std::string& name, std::size_t size) {
    int id = 0;
    check(nc_def_dim(file_, name.c_str(), size, &id), "define the dimension " + name);
    return id;
  }

  /// `dimensions` slowest first.
  int variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) {
    int id = 0;
    check(nc_def_var(file_, name.c_str(), type, static_cast<int>(dimensions.size()), dimensions.data(), &id),
          "define the variable " + name);
    if (!dimensions.empty()) scaled_.push_back({normalised(id, name), names_of(dimensions)});
    return id;
  }

  RecordVariable record_variable(const std::string& name, ElementType type,
                                 const std::vector<int>& dimensions, const std::vector<Index>& extents,
                                 Index block_records, const Compression& compression = {},
                                 bool is_in_parts = false) {
    const int id = variable(name, type_of(type), dimensions);
    const bool is_packed = compression.is_packed();
    const ChunkShape shape = is_packed ? packed_shape(extents, size_bytes(type), largest_packed_)
                                       : chunk_shape(extents, size_bytes(type), block_records);
    std::vector<std::size_t> sizes = {static_cast<std::size_t>(shape.records)};
    sizes.insert(sizes.end(), shape.count.rbegin(), shape.count.rend());
    check(nc_def_var_chunking(file_, id, NC_CHUNKED, sizes.data()), "define the chunks of " + name);
    if (is_packed) filters(id, compression, size_bytes(type), shape, name);
    last_ = id;
    return {normalised(id, name),     extents,    size_bytes(type), shape, chunk_regions(extents, shape),
            is_packed || is_in_parts, is_in_parts};
  }
  int last() const { return last_; }

  void filters(int id, const Compression& compression, std::size_t element_size, const ChunkShape& shape,
               const std::string& name) {
    Index elements = shape.records;
    for (const Index n : shape.count) elements *= n;
    check(define_filters(file_, id, compression, element_size,
                         static_cast<std::size_t>(elements) * element_size),
          "define the compression of " + name + " by " + compression.codec->name);
  }

  /// The name of a variable as the library wrote it.
  std::string normalised(int variable, const std::string& name) const {
    std::array<char, NC_MAX_NAME + 1> text = {};
    check(nc_inq_varname(file_, variable, text.data()), "define the variable " + name);
    return text.data();
  }

  /// `dimensions` slowest first.
  /// Returns its number.
  int static_variable(const FileStatic& one, const std::vector<int>& dimensions,
                      const std::vector<Index>& extents, bool has_no_fill_value) {
    const int id = variable(one.name, type_of(one.type), dimensions);
    if (is_compressed(one) && !is_in_definition(one)) {
      const ChunkShape shape = packed_shape(extents, size_bytes(one.type), largest_packed_);
      const std::vector<std::size_t> sizes(shape.count.rbegin(), shape.count.rend());
      check(nc_def_var_chunking(file_, id, NC_CHUNKED, sizes.data()), "define the chunks of " + one.name);
    }
    if (one.compression.is_packed() && !dimensions.empty()) {
      filters(id, one.compression, size_bytes(one.type),
              packed_shape(extents, size_bytes(one.type), largest_packed_), one.name);
    }
    if (!has_no_fill_value)
      type_attributes(id, one.type, one.fill_value);  // CF leaves these to the coordinate
    attributes(id, one.attributes);
    return id;
  }

  /// What readers need to know of a type. Texts have no _FillValue: readers take it for a character.
  void type_attributes(int variable, ElementType type, const std::optional<double>& fill_value) {
    if (type == ElementType::character) {
      check(put(variable, "_Encoding", "utf-8"), "write the attribute _Encoding");
      return;
    }
    std::visit(
        [&]<class T>(T value) {
          if (std::is_floating_point_v<T> && fill_value) value = static_cast<T>(*fill_value);
          check(nc_put_att(file_, variable, "_FillValue", type_of(type), 1, &value),
                "write the attribute _FillValue");
        },
        missing_value(type));
    if (type != ElementType::boolean) return;
    constexpr std::array<signed char, 2> kFlags = {0, 1};
    check(nc_put_att_schar(file_, variable, "flag_values", NC_BYTE, kFlags.size(), kFlags.data()),
          "write the attribute flag_values");
    check(put(variable, "flag_meanings", "false true"), "write the attribute flag_meanings");
  }

  void attributes(int variable, const std::vector<FileAttribute>& attributes) {
    for (const FileAttribute& attribute : attributes) {
      check(std::visit([&](const auto& value) { return put(variable, attribute.name.c_str(), value); },
                       attribute.value),
            "write the attribute " + attribute.name);
    }
  }

  /// The attributes of a variable that is a dimension of others. They wait until those are written: with an
  /// older library each of those changes a list among them, which costs the square of the number of variables
  /// where there are more than eight attributes (64 MB instead of 3.5 MB for 2000 variables).
  void attributes_at_end(int variable, const std::vector<FileAttribute>& attributes) {
    waiting_.emplace_back(variable, attributes);
  }

  void end() {
    check(nc_enddef(file_), "write its definition");
    if (kAttachesNothing != 0) attach_scales(path_, scaled_);
    check(nc_redef(file_), "write its definition");
    for (const auto& [variable, waiting] : waiting_) attributes(variable, waiting);
    check(nc_enddef(file_), "write its definition");
  }
  void values(int variable, const std::string& name, const void* values) {
    check(nc_put_var(file_, variable, values), "write the values of " + name);
  }
  void values(int variable, const std::string& name, const std::vector<double>& values) {
    check(nc_put_var_double(file_, variable, values.data()), "write the values of " + name);
  }
  void close() {
    is_open_ = false;
    check(nc_close(file_), "close it");
    written_->copy_to(path_);
  }

 private:
  std::vector<std::string> names_of(const std::vector<int>& dimensions) const {
    std::vector<std::string> names;
    for (const int dimension : dimensions) {
      std::array<char, NC_MAX_NAME + 1> text = {};
      check(nc_inq_dimname(file_, dimension, text.data()), "define its dimensions");
      names.emplace_back(text.data());
    }
    return names;
  }
  int put(int variable, const char* name, const std::string& value) {
    return nc_put_att_text(file_, variable, name, value.size(), value.c_str());
  }
  int put(int variable, const char* name, double value) {
    return nc_put_att_double(file_, variable, name, NC_DOUBLE, 1, &value);
  }
  int put(int variable, const char* name, std::int64_t value) {
    using Int = std::numeric_limits<std::int32_t>;
    const bool is_short = value >= Int::min() && value <= Int::max();
    const long long number = value;
    return nc_put_att_longlong(file_, variable, name, is_short ? NC_INT : NC_INT64, 1, &number);
  }

  int put(int variable, const char* name, const AttributeNumbers& numbers) {
    const nc_type type = type_of(numbers.type);
    if (!numbers.integers.empty()) {
      const std::vector<long long> values(numbers.integers.begin(), numbers.integers.end());
      return nc_put_att_longlong(file_, variable, name, type, values.size(), values.data());
    }
    return nc_put_att_double(file_, variable, name, type, numbers.reals.size(), numbers.reals.data());
  }

  /// The library calls a full disk "Permission denied" or "HDF error"; what the system said stays in errno.
  void check(int status, const std::string& what) const {
    const int reason = std::exchange(errno, 0);
    if (status == NC_NOERR) return;
    const std::string text = path_ + ": could not " + what + ": ";
    if (reason == ENOSPC || reason == EDQUOT)
      throw DiskFullError(text + std::generic_category().message(reason));
    throw OutputError(text + nc_strerror(status));
  }

  std::string path_;
  Index largest_packed_;  ///< bytes
  std::optional<WritesInMemory> written_;
  int file_ = 0;
  int last_ = 0;
  std::vector<std::pair<int, std::vector<FileAttribute>>> waiting_;
  std::vector<ScaledVariable> scaled_;
  bool is_open_ = false;
};

/// Another variable says that these are its bounds, or nobody reads its value.
bool has_no_fill_value(const FileDefinition& definition, const FileStatic& one) {
  if (one.has_no_fill_value) return true;
  const FileAttribute bounds{"bounds", one.name};
  return std::ranges::any_of(definition.statics, [&](const FileStatic& other) {
    return std::ranges::find(other.attributes, bounds) != other.attributes.end();
  });
}

AxisVariables define_axis(Definer& file, const TimeAxis& axis, int dimension, int bounds_dimension) {
  AxisVariables out{axis.block_records, axis.first_records, axis.has_bounds, {}, {}};
  if (!axis.is_written) return out;
  out.variables.push_back(
      file.record_variable(axis.name, ElementType::float64, {dimension}, {}, axis.block_records));
  file.attributes_at_end(file.last(), axis.attributes);
  if (!axis.has_bounds) return out;
  const std::string bounds = axis.name + "_bnds";
  file.attributes_at_end(file.last(), {{axis.is_climatology ? "climatology" : "bounds", bounds}});
  out.variables.push_back(file.record_variable(bounds, ElementType::float64, {dimension, bounds_dimension},
                                               {2}, axis.block_records));
  return out;
}

std::size_t value_bytes(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size();
  const auto* numbers = std::get_if<AttributeNumbers>(&value);
  return 8 * (numbers ? std::max(numbers->reals.size(), numbers->integers.size()) : 1);
}

void require(bool is_true, const std::string& what) {
  if (!is_true) throw UsageError(what);
}

}  // namespace

void check_definition(const FileDefinition& definition) {
  for (const FileDimension& dimension : definition.dimensions) {
    require(dimension.size >= 1, "the dimension " + dimension.name + " of a file has no elements");
    require(dimension.coordinates.empty() || std::ssize(dimension.coordinates) == dimension.size,
            "the dimension " + dimension.name + " of a file has another number of coordinates than elements");
    require(dimension.bounds.empty() || dimension.bounds.size() == 2 * dimension.coordinates.size(),
            "the dimension " + dimension.name + " of a file has not two bounds for each coordinate");
  }
  for (const TimeAxis& axis : definition.axes) {
    require(axis.block_records >= 1, "the axis " + axis.name + " of a file has no space for records");
  }
  for (const FileVariable& variable : definition.variables) {
    require(!variable.compression.is_packed() ||
                (variable.compression.level >= kLowestLevel && variable.compression.level <= kHighestLevel),
            "the variable " + variable.name + " has an unknown level of compression");
    require(variable.axis < definition.axes.size() && definition.axes[variable.axis].is_written,
            "the variable " + variable.name + " has an unknown axis");
    for (const std::uint32_t d : variable.dimensions) {
      require(d < definition.dimensions.size(),
              "the variable " + variable.name + " has an unknown dimension");
    }
  }
  for (const FileStatic& one : definition.statics) {
    std::size_t bytes = size_bytes(one.type);
    for (const std::uint32_t d : one.dimensions) {
      require(d < definition.dimensions.size(), "the variable " + one.name + " has an unknown dimension");
      bytes *= static_cast<std::size_t>(definition.dimensions[d].size);
    }
    require(one.values && one.values->size_bytes() == bytes, "the variable " + one.name + " lacks values");
  }
}

std::uint64_t space_for(const FileDefinition& definition) {
  constexpr std::uint64_t kFile = 65536, kObject = 16384;
  std::uint64_t bytes = kFile + kObject * (definition.variables.size() + 2 * definition.axes.size());
  const auto add = [&](const std::vector<FileAttribute>& attributes) {
    for (const FileAttribute& attribute : attributes) {
      bytes += 2 * (attribute.name.size() + value_bytes(attribute.value)) + 256;
    }
  };
  add(definition.attributes);
  for (const TimeAxis& axis : definition.axes) add(axis.attributes);
  for (const FileVariable& variable : definition.variables) add(variable.attributes);
  for (const FileStatic& one : definition.statics) {
    // A chunk that does not shrink is stored as it is, and the last one of a dimension is as large as others.
    bytes += kObject + 2 * one.values->size_bytes();
    add(one.attributes);
  }
  for (const FileDimension& dimension : definition.dimensions) {
    bytes += 2 * kObject + (dimension.coordinates.size() + dimension.bounds.size()) * sizeof(double);
    add(dimension.attributes);
  }
  return bytes;
}

DefinedFile define(const std::string& path, const FileDefinition& definition, Index largest_packed,
                   FileSystem& files) {
  Definer file(path, largest_packed);
  files.reserve(path, 0, space_for(definition));
  std::vector<int> dimensions, axis_dimensions;
  for (const FileDimension& d : definition.dimensions) {
    dimensions.push_back(file.dimension(d.name, static_cast<std::size_t>(d.size)));
  }
  for (const TimeAxis& axis : definition.axes)
    axis_dimensions.push_back(axis.is_written ? file.dimension(axis.name, NC_UNLIMITED) : -1);
  const bool any_bounds = std::ranges::any_of(definition.axes, &TimeAxis::has_bounds) ||
                          std::ranges::any_of(definition.dimensions, [](const FileDimension& dimension) {
                            return !dimension.bounds.empty();
                          });
  const auto known_bounds = std::ranges::find(definition.dimensions, kBoundsDimension, &FileDimension::name);
  const int bounds_dimension =
      !any_bounds ? -1
      : known_bounds == definition.dimensions.end()
          ? file.dimension(kBoundsDimension, 2)
          : dimensions[static_cast<std::size_t>(known_bounds - definition.dimensions.begin())];

  std::vector<int> coordinates(definition.dimensions.size(), -1), bounds = coordinates;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const FileDimension& dimension = definition.dimensions[i];
    if (dimension.coordinates.empty()) continue;
    coordinates[i] = file.variable(dimension.name, NC_DOUBLE, {dimensions[i]});
    file.attributes_at_end(coordinates[i], dimension.attributes);
    if (dimension.bounds.empty()) continue;
    file.attributes_at_end(coordinates[i], {{"bounds", dimension.name + "_bnds"}});
    bounds[i] = file.variable(dimension.name + "_bnds", NC_DOUBLE, {dimensions[i], bounds_dimension});
  }
  std::vector<AxisVariables> axes;
  for (std::size_t i = 0; i < definition.axes.size(); ++i) {
    axes.push_back(define_axis(file, definition.axes[i], axis_dimensions[i], bounds_dimension));
  }
  for (std::size_t i = 0; i < definition.variables.size(); ++i) {
    const FileVariable& variable = definition.variables[i];
    std::vector<int> slowest_first = {axis_dimensions[variable.axis]};
    std::vector<Index> extents;
    for (auto d = variable.dimensions.rbegin(); d != variable.dimensions.rend(); ++d) {
      slowest_first.push_back(dimensions[*d]);
    }
    for (const std::uint32_t d : variable.dimensions) extents.push_back(definition.dimensions[d].size);
    AxisVariables& axis = axes[variable.axis];
    axis.variables.push_back(file.record_variable(variable.name, variable.type, slowest_first, extents,
                                                  axis.block_records, variable.compression,
                                                  variable.is_in_parts));
    axis.variables.back().may_repeat = variable.may_repeat;
    axis.variables.back().is_audited = variable.is_audited;
    axis.variables.back().units = units_of(variable.attributes);
    axis.indices.push_back(static_cast<std::uint32_t>(i));
    file.type_attributes(file.last(), variable.type, variable.fill_value);
    file.attributes(file.last(), variable.attributes);
  }
  std::vector<std::string> static_names;
  std::vector<int> statics;
  for (const FileStatic& one : definition.statics) {
    std::vector<int> slowest_first;
    std::vector<Index> extents;
    for (auto d = one.dimensions.rbegin(); d != one.dimensions.rend(); ++d)
      slowest_first.push_back(dimensions[*d]);
    for (const std::uint32_t d : one.dimensions) extents.push_back(definition.dimensions[d].size);
    statics.push_back(file.static_variable(one, slowest_first, extents, has_no_fill_value(definition, one)));
    static_names.push_back(file.normalised(statics.back(), one.name));
  }
  file.attributes(NC_GLOBAL, definition.attributes);
  file.end();

  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const FileDimension& dimension = definition.dimensions[i];
    if (coordinates[i] >= 0) file.values(coordinates[i], dimension.name, dimension.coordinates);
    if (bounds[i] >= 0) file.values(bounds[i], dimension.name + "_bnds", dimension.bounds);
  }
  for (std::size_t i = 0; i < statics.size(); ++i) {
    const FileStatic& one = definition.statics[i];
    if (is_in_definition(one)) file.values(statics[i], one.name, all_of(one).data());
  }
  file.close();
  return {std::move(axes),
          write_static_values(path, definition.statics, static_names, files, definition.on_disk)};
}

}  // namespace pileus::netcdf
