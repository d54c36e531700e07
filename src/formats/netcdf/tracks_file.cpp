#include "formats/netcdf/tracks_file.h"

#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/error.h"

namespace pileus::netcdf {
namespace {

constexpr double kFill = NC_FILL_DOUBLE;

class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path) {
    check(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file_));
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (file_ >= 0) nc_close(file_);
  }

  void close() {
    const int file = file_;
    file_ = -1;
    check(nc_close(file));
  }
  int dimension(const char* name, std::size_t size) {
    int id = 0;
    check(nc_def_dim(file_, name, size, &id));
    return id;
  }
  int variable(const std::string& name, nc_type type, int dimension) {
    int id = 0;
    check(nc_def_var(file_, name.c_str(), type, 1, &dimension, &id));
    return id;
  }
  void text(int variable, const std::string& name, const std::string& value) {
    check(nc_put_att_text(file_, variable, name.c_str(), value.size(), value.c_str()));
  }
  void fill(int variable) { check(nc_put_att_double(file_, variable, _FillValue, NC_DOUBLE, 1, &kFill)); }
  void put(int variable, const std::vector<double>& values) {
    std::vector<double> filled = values;
    std::ranges::replace_if(
        filled, [](double one) { return std::isnan(one); }, kFill);
    if (!filled.empty()) check(nc_put_var_double(file_, variable, filled.data()));
  }
  void put(int variable, const std::vector<std::int64_t>& values) {
    const std::vector<long long> numbers(values.begin(), values.end());
    if (!numbers.empty()) check(nc_put_var_longlong(file_, variable, numbers.data()));
  }

 private:
  void check(int status) const {
    if (status != NC_NOERR) throw OutputError(path_ + ": cannot be written: " + nc_strerror(status));
  }

  std::string path_;
  int file_ = -1;
};

int define(NewFile& file, const TrackVariable& one, int dimension, const std::string& coordinates) {
  const int id = file.variable(one.name, NC_DOUBLE, dimension);
  for (const auto& [name, value] : one.attributes) file.text(id, name, value);
  if (!coordinates.empty()) file.text(id, "coordinates", coordinates);
  if (std::ranges::any_of(one.values, [](double value) { return std::isnan(value); })) file.fill(id);
  return id;
}

void write(NewFile& file, const TracksFile& tracks) {
  const int object = file.dimension("trajectory", tracks.identities.size());
  const int row = file.dimension("obs", tracks.time.values.size());
  for (const auto& [name, value] : tracks.attributes) file.text(NC_GLOBAL, name, value);
  file.text(NC_GLOBAL, "featureType", "trajectory");
  const int identity = file.variable("trajectory", NC_INT, object);
  file.text(identity, "cf_role", "trajectory_id");
  file.text(identity, "long_name", "identity of the object");
  const int row_size = file.variable("row_size", NC_INT, object);
  file.text(row_size, "long_name", "number of times of the object");
  file.text(row_size, "sample_dimension", "obs");
  std::string coordinates = tracks.time.name;
  for (const std::string& one : tracks.coordinates) coordinates += " " + one;
  std::vector<std::pair<int, const TrackVariable*>> variables = {
      {define(file, tracks.time, row, ""), &tracks.time}};
  for (const TrackVariable& one : tracks.of_objects)
    variables.emplace_back(define(file, one, object, ""), &one);
  for (const TrackVariable& one : tracks.of_rows) {
    const bool is_coordinate = std::ranges::count(tracks.coordinates, one.name) > 0;
    variables.emplace_back(define(file, one, row, is_coordinate ? "" : coordinates), &one);
  }
  file.put(identity, tracks.identities);
  file.put(row_size, tracks.row_sizes);
  for (const auto& [id, variable] : variables) file.put(id, variable->values);
}

}  // namespace

void write_tracks(const std::string& path, const TracksFile& tracks) {
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (!tracks.identities.empty() && tracks.identities.back() > most)
    throw OutputError(path + ": cannot be written: identities are beyond 32 bits");
  const std::string temporary = path + ".tmp";
  try {
    NewFile file(temporary);
    write(file, tracks);
    file.close();
    std::filesystem::rename(temporary, path);
  } catch (...) {
    std::error_code unknown;
    std::filesystem::remove(temporary, unknown);
    throw;
  }
}

}  // namespace pileus::netcdf
