#include "formats/netcdf/weights_tools.h"

#include <netcdf.h>

#include <string_view>

#include "core/error.h"
#include "formats/netcdf/input_file.h"

namespace pileus {
namespace {

/// A file that is written through the netCDF library, without records.
class PlainFile {
 public:
  explicit PlainFile(const std::string& path) : path_(path) {}
  ~PlainFile() {
    if (is_open_) nc_close(file_);
  }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  void create() {
    require(nc_create(path_.c_str(), NC_NETCDF4 | NC_CLOBBER, &file_));
    is_open_ = true;
  }
  void open() {
    require(nc_open(path_.c_str(), NC_WRITE, &file_));
    is_open_ = true;
  }
  void close() {
    is_open_ = false;
    require(nc_close(file_));
  }
  int dimension(const char* name, Index size) {
    int id = 0;
    require(nc_def_dim(file_, name, static_cast<std::size_t>(size), &id));
    return id;
  }
  int variable(const char* name, nc_type type, const std::vector<int>& dimensions) {
    int id = 0;
    require(nc_def_var(file_, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
    return id;
  }
  void text(int variable, const char* name, std::string_view text) {
    require(nc_put_att_text(file_, variable, name, text.size(), text.data()));
  }
  void fill_value(int variable, signed char value) {
    require(nc_def_var_fill(file_, variable, NC_FILL, &value));
  }
  void begin_definition() {
    if (const int status = nc_redef(file_); status != NC_EINDEFINE) require(status);
  }
  void end_definition() { require(nc_enddef(file_)); }
  void put(int variable, const std::vector<double>& values) {
    require(nc_put_var_double(file_, variable, values.data()));
  }
  void put(int variable, const std::vector<signed char>& values) {
    require(nc_put_var_schar(file_, variable, values.data()));
  }

 private:
  void require(int status) const {
    if (status != NC_NOERR) throw OutputError(path_ + ": it cannot be written: " + nc_strerror(status));
  }

  std::string path_;
  int file_ = -1;
  bool is_open_ = false;
};

int coordinate(PlainFile& file, const char* name, const char* units, const std::vector<int>& dimensions) {
  const int id = file.variable(name, NC_DOUBLE, dimensions);
  file.text(id, "units", units);
  file.text(id, "standard_name", name);
  return id;
}

constexpr signed char kHidden = -1;

std::vector<signed char> values_of_mask(const SourceGrid& grid) {
  std::vector<signed char> values(grid.latitude.size(), 1);
  for (std::size_t i = 0; i < grid.mask.size(); ++i) {
    if (grid.mask[i] == 0) values[i] = kHidden;
  }
  return values;
}

}  // namespace

void write_grid_for_cdo(const std::string& path, const SourceGrid& grid) {
  PlainFile file(path);
  file.create();
  std::vector<int> dimensions;
  if (grid.is_structured()) dimensions.push_back(file.dimension("y", grid.dims[1]));
  dimensions.push_back(file.dimension("x", grid.is_structured() ? grid.dims[0] : grid.size()));
  const int latitude = coordinate(file, "latitude", "degrees_north", dimensions);
  const int longitude = coordinate(file, "longitude", "degrees_east", dimensions);
  const int points = file.variable("points", NC_BYTE, dimensions);
  file.fill_value(points, kHidden);
  file.text(points, "coordinates", "latitude longitude");
  if (!grid.is_structured()) file.text(points, "CDI_grid_type", "unstructured");
  int corner_latitude = -1, corner_longitude = -1;
  if (grid.corners > 0) {
    dimensions.push_back(file.dimension("corner", grid.corners));
    corner_latitude = file.variable("corner_latitude", NC_DOUBLE, dimensions);
    corner_longitude = file.variable("corner_longitude", NC_DOUBLE, dimensions);
    file.text(latitude, "bounds", "corner_latitude");
    file.text(longitude, "bounds", "corner_longitude");
  }
  file.end_definition();
  file.put(latitude, grid.latitude);
  file.put(longitude, grid.longitude);
  file.put(points, values_of_mask(grid));
  if (grid.corners > 0) {
    file.put(corner_latitude, grid.corner_latitude);
    file.put(corner_longitude, grid.corner_longitude);
  }
  file.close();
}

void add_texts(const std::string& path, const Texts& texts) {
  PlainFile file(path);
  file.open();
  file.begin_definition();
  for (const auto& [name, text] : texts) file.text(NC_GLOBAL, name.c_str(), text);
  file.close();
}

std::string text_of_file(const std::string& path, const std::string& attribute) {
  try {
    return netcdf::InputFile(path).text("", attribute);
  } catch (const UsageError&) {
    return "";
  }
}

}  // namespace pileus
