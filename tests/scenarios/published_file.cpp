#include "tests/scenarios/published_file.h"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <array>

namespace pileus::testing {
namespace {

/// True if the library's answer is good; fails the test otherwise.
bool is_good(int status, const std::string& what) {
  EXPECT_EQ(status, NC_NOERR) << what << ": " << nc_strerror(status);
  return status == NC_NOERR;
}

}  // namespace

PublishedFileReader::PublishedFileReader(const std::string& path) : path_(path) {
  if (!is_good(nc_open(path.c_str(), NC_NOWRITE, &file_), path)) file_ = -1;
}

PublishedFileReader::~PublishedFileReader() {
  if (file_ >= 0) nc_close(file_);
}

std::vector<double> PublishedFileReader::values(const std::string& variable) const {
  int id = 0, rank = 0;
  std::array<int, NC_MAX_VAR_DIMS> dimensions{};
  const std::string what = path_ + ": " + variable;
  if (file_ < 0 || !is_good(nc_inq_varid(file_, variable.c_str(), &id), what)) return {};
  if (!is_good(nc_inq_var(file_, id, nullptr, nullptr, &rank, dimensions.data(), nullptr), what)) return {};
  std::size_t size = 1;
  for (int d = 0; d < rank; ++d) {
    std::size_t extent = 0;
    is_good(nc_inq_dimlen(file_, dimensions[static_cast<std::size_t>(d)], &extent), what);
    size *= extent;
  }
  std::vector<double> values(size);
  if (size > 0) is_good(nc_get_var_double(file_, id, values.data()), what);
  return values;
}

std::vector<std::string> PublishedFileReader::dimensions(const std::string& variable) const {
  int id = 0, rank = 0;
  std::array<int, NC_MAX_VAR_DIMS> dimensions{};
  const std::string what = path_ + ": " + variable;
  if (file_ < 0 || !is_good(nc_inq_varid(file_, variable.c_str(), &id), what)) return {};
  is_good(nc_inq_var(file_, id, nullptr, nullptr, &rank, dimensions.data(), nullptr), what);
  std::vector<std::string> names;
  for (int d = 0; d < rank; ++d) {
    std::array<char, NC_MAX_NAME + 1> name{};
    is_good(nc_inq_dimname(file_, dimensions[static_cast<std::size_t>(d)], name.data()), what);
    names.emplace_back(name.data());
  }
  return names;
}

std::string PublishedFileReader::attribute(const std::string& variable, const std::string& name) const {
  int id = NC_GLOBAL;
  std::size_t length = 0;
  const std::string what = path_ + ": " + variable + ":" + name;
  if (file_ < 0) return "";
  if (!variable.empty() && !is_good(nc_inq_varid(file_, variable.c_str(), &id), what)) return "";
  if (!is_good(nc_inq_attlen(file_, id, name.c_str(), &length), what)) return "";
  std::string text(length, '\0');
  is_good(nc_get_att_text(file_, id, name.c_str(), text.data()), what);
  return text;
}

std::vector<std::string> PublishedFileReader::variables() const {
  int count = 0;
  if (file_ < 0 || !is_good(nc_inq_nvars(file_, &count), path_)) return {};
  std::vector<std::string> names;
  for (int id = 0; id < count; ++id) {
    std::array<char, NC_MAX_NAME + 1> name{};
    is_good(nc_inq_varname(file_, id, name.data()), path_);
    names.emplace_back(name.data());
  }
  return names;
}

}  // namespace pileus::testing
