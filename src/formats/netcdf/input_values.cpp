#include "formats/netcdf/input_values.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.h"
#include "core/suggest.h"
#include "formats/netcdf/hdf5_file.h"
#include "formats/netcdf/input_file.h"

namespace pileus {
namespace {

using netcdf::InputFile;

std::string require_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) throw UsageError(path + ": there is no such file");
  return path;
}

class NetcdfInput : public InputSource {
 public:
  explicit NetcdfInput(const std::string& path) : file_(require_file(path)) {}

  InputHeader header(const std::string& variable) override {
    require_numbers(variable);
    InputHeader header;
    header.file = file_.path();
    header.variable = variable;
    header.units = file_.text(variable, "units");
    const bool is_packed = file_.number(variable, "scale_factor") || file_.number(variable, "add_offset");
    header.is_float = !is_packed && file_.fits_floats(variable);
    header.is_whole = !is_packed && file_.has_whole_numbers(variable);
    const std::vector<std::string> names = file_.dimension_names(variable);
    for (std::size_t d = 0; d < names.size(); ++d) {
      if (!is_time(names[d])) continue;
      if (d > 0)
        file_.refuse("the time " + names[d] + " is not the slowest dimension of its variable " + variable +
                     "; bring it to the front (ncpdq)");
      header.has_time = true;
      read_time(names[d], header);
    }
    if (!header.has_time && !names.empty() && file_.has_records(variable))
      file_.refuse("its variable " + variable + " has records along " + names.front() +
                   ", which has no coordinate variable of times");
    for (std::size_t d = names.size(); d > (header.has_time ? 1 : 0); --d)
      header.dimensions.push_back({names[d - 1], *file_.dimension(names[d - 1])});
    return header;
  }

  void read(const InputHeader& header, Index record, const Region& part, std::span<double> values) override {
    std::vector<std::size_t> start, count;
    if (header.has_time) {
      start.push_back(static_cast<std::size_t>(record));
      count.push_back(1);
    }
    for (auto d = static_cast<std::size_t>(part.rank()); d > 0; --d) {
      start.push_back(static_cast<std::size_t>(part.start[d - 1]));
      count.push_back(static_cast<std::size_t>(part.count[d - 1]));
    }
    std::ranges::copy(file_.numbers_within(header.variable, start, count), values.begin());
  }

 private:
  void require_numbers(const std::string& variable) {
    if (!file_.has_variable(variable))
      file_.refuse("it has no variable \"" + variable + "\"" + did_you_mean(variable, file_.variables()));
    if (!file_.has_numbers(variable)) file_.refuse("its variable " + variable + " holds no numbers");
  }

  /// Whether a dimension is that of time: its coordinate variable says so.
  bool is_time(const std::string& dimension) {
    if (!file_.has_variable(dimension) ||
        file_.dimension_names(dimension) != std::vector<std::string>{dimension})
      return false;
    return file_.text(dimension, "units").find(" since ") != std::string::npos || dimension == "time" ||
           file_.text(dimension, "axis") == "T" || file_.text(dimension, "standard_name") == "time";
  }

  void read_time(const std::string& name, InputHeader& header) {
    header.time = name;
    header.time_units = file_.text(name, "units");
    header.calendar = file_.text(name, "calendar");
    for (char& c : header.calendar) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    header.times = file_.numbers(name);
    if (header.times.empty()) file_.refuse("it has no record: its " + name + " is empty");
    for (const char* attribute : {"bounds", "climatology"}) {
      const std::string bounds = file_.text(name, attribute);
      if (bounds.empty()) continue;
      if (!file_.has_variable(bounds) ||
          file_.shape(bounds) != std::vector<Index>{static_cast<Index>(header.times.size()), 2})
        file_.refuse("its " + name + " has " + attribute + " \"" + bounds +
                     "\", which is no variable of two for each time");
      header.bounds = file_.numbers(bounds);
      return;
    }
  }

  InputFile file_;
};

}  // namespace

std::unique_ptr<InputSource> open_netcdf_input(const std::string& path) {
  netcdf::silence_hdf5();
  return std::make_unique<NetcdfInput>(path);
}

}  // namespace pileus
