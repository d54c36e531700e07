#include "formats/netcdf/input_values.h"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/testing/temporary_directory.h"

namespace pileus {
namespace {

class InputValues : public ::testing::Test {
 protected:
  InputValues() : path_(directory_.path("forcing.nc")) {
    check(nc_create(path_.c_str(), NC_NETCDF4, &file_));
  }
  static void check(int status) { ASSERT_EQ(status, NC_NOERR) << nc_strerror(status); }
  int dimension(const char* name, std::size_t size) {
    int id = 0;
    check(nc_def_dim(file_, name, size, &id));
    return id;
  }
  int variable(const char* name, nc_type type, const std::vector<int>& dimensions) {
    int id = 0;
    check(nc_def_var(file_, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
    return id;
  }
  void text(int variable, const char* name, const std::string& value) {
    check(nc_put_att_text(file_, variable, name, value.size(), value.c_str()));
  }
  void values(int variable, const std::vector<double>& of) {
    check(nc_put_var_double(file_, variable, of.data()));
  }
  std::unique_ptr<InputSource> reopened() {
    check(nc_close(file_));
    return open_netcdf_input(path_);
  }
  static std::vector<double> read(InputSource& source, const InputHeader& header, Index record,
                                  const Region& part) {
    std::vector<double> values(static_cast<std::size_t>(part.size()));
    source.read(header, record, part, values);
    return values;
  }

  testing::TemporaryDirectory directory_;
  std::string path_;
  int file_ = 0;
};

TEST_F(InputValues, a_box_of_a_record_is_read_fastest_first) {
  const int time = dimension("time", NC_UNLIMITED), y = dimension("y", 2), x = dimension("x", 3);
  const int times = variable("time", NC_DOUBLE, {time});
  text(times, "units", "hours since 2000-01-01");
  text(times, "calendar", "NOLEAP");
  const int w = variable("w", NC_FLOAT, {time, y, x});
  text(w, "units", "m s-1");
  const std::size_t start[] = {0, 0, 0}, count[] = {2, 2, 3};
  const double instants[] = {0, 6};
  check(nc_put_vara_double(file_, times, start, count, instants));
  std::vector<double> all;
  for (int i = 0; i < 12; ++i) all.push_back(i);
  check(nc_put_vara_double(file_, w, start, count, all.data()));

  const auto source = reopened();
  const InputHeader header = source->header("w");

  EXPECT_TRUE(header.has_time);
  EXPECT_TRUE(header.is_float);
  EXPECT_EQ(header.times, (std::vector<double>{0, 6}));
  EXPECT_EQ(header.calendar, "noleap");
  EXPECT_EQ(header.units, "m s-1");
  ASSERT_EQ(header.dimensions.size(), 2U);
  EXPECT_EQ(header.dimensions[0].name, "x");
  EXPECT_EQ(read(*source, header, 1, {{1, 0}, {2, 2}}), (std::vector<double>{7, 8, 10, 11}));
}

TEST_F(InputValues, packed_values_are_unpacked_and_missing_ones_are_nan) {
  const int x = dimension("x", 3);
  const int w = variable("w", NC_SHORT, {x});
  const double scale = 0.5, offset = 10;
  const short fill = -1;
  check(nc_put_att_short(file_, w, "_FillValue", NC_SHORT, 1, &fill));
  check(nc_put_att_double(file_, w, "scale_factor", NC_DOUBLE, 1, &scale));
  check(nc_put_att_double(file_, w, "add_offset", NC_DOUBLE, 1, &offset));
  values(w, {4, -1, 6});

  const auto source = reopened();
  const InputHeader header = source->header("w");
  const std::vector<double> got = read(*source, header, 0, {{0}, {3}});

  EXPECT_FALSE(header.has_time);
  EXPECT_FALSE(header.is_float);
  EXPECT_FALSE(header.is_whole);
  EXPECT_EQ(got[0], 12);
  EXPECT_TRUE(std::isnan(got[1]));
  EXPECT_EQ(got[2], 13);
}

TEST_F(InputValues, what_was_never_written_is_missing) {
  const int x = dimension("x", 2);
  variable("w", NC_DOUBLE, {x});

  const auto source = reopened();

  EXPECT_TRUE(std::isnan(read(*source, source->header("w"), 0, {{0}, {2}})[1]));
}

TEST_F(InputValues, bounds_of_a_climatology_are_read) {
  const int time = dimension("time", 2), two = dimension("two", 2);
  const int times = variable("time", NC_DOUBLE, {time});
  text(times, "units", "days since 0001-01-01");
  text(times, "climatology", "bnds");
  const int bounds = variable("bnds", NC_DOUBLE, {time, two});
  variable("w", NC_DOUBLE, {time});
  values(times, {15, 45});
  values(bounds, {0, 31, 31, 59});

  EXPECT_EQ(reopened()->header("w").bounds, (std::vector<double>{0, 31, 31, 59}));
}

TEST_F(InputValues, variables_that_cannot_be_inputs_are_named) {
  const int x = dimension("x", 2), time = dimension("time", NC_UNLIMITED);
  variable("names", NC_CHAR, {x});
  variable("theta", NC_DOUBLE, {time, x});
  const auto source = reopened();
  const auto problem = [&](const std::string& name) {
    try {
      (void)source->header(name);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };

  EXPECT_NE(problem("thetta").find("it has no variable \"thetta\"; did you mean \"theta\"?"),
            std::string::npos);
  EXPECT_NE(problem("names").find("holds no numbers"), std::string::npos);
  EXPECT_NE(problem("theta").find("no coordinate variable of times"), std::string::npos);
}

TEST_F(InputValues, files_that_are_not_there_or_damaged_are_named) {
  check(nc_close(file_));
  const std::string other = directory_.path("other.nc");
  EXPECT_THROW(open_netcdf_input(other), UsageError);
  std::ofstream(other) << "no file of this kind";
  EXPECT_THROW(open_netcdf_input(other), UsageError);
}

}  // namespace
}  // namespace pileus
