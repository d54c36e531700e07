#include "formats/netcdf/weights_file.h"

#include <netcdf.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "formats/netcdf/test_file.h"

namespace pileus::netcdf {
namespace {

void check(int status) {
  if (status != NC_NOERR) throw OutputError(nc_strerror(status));
}

/// A netCDF file, piece by piece.
class MadeFile {
 public:
  explicit MadeFile(const std::string& path, int mode = 0) { check(nc_create(path.c_str(), mode, &file_)); }
  ~MadeFile() { nc_close(file_); }
  MadeFile(const MadeFile&) = delete;
  MadeFile& operator=(const MadeFile&) = delete;

  void dimension(const char* name, std::size_t size) {
    int id = 0;
    check(nc_def_dim(file_, name, size, &id));
  }
  template <class T>
  void variable(const char* name, std::vector<const char*> dimensions, const std::vector<T>& values,
                const char* units = "") {
    std::vector<int> ids(dimensions.size());
    for (std::size_t d = 0; d < ids.size(); ++d) check(nc_inq_dimid(file_, dimensions[d], &ids[d]));
    int id = 0;
    nc_redef(file_);
    const nc_type type = std::is_same_v<T, int> ? NC_INT : NC_DOUBLE;
    check(nc_def_var(file_, name, type, static_cast<int>(ids.size()), ids.data(), &id));
    check(nc_put_att_text(file_, id, "units", std::strlen(units), units));
    nc_enddef(file_);
    if constexpr (std::is_same_v<T, int>)
      check(nc_put_var_int(file_, id, values.data()));
    else
      check(nc_put_var_double(file_, id, values.data()));
    nc_redef(file_);
  }
  void attribute(const char* name, const std::string& text) {
    check(nc_put_att_text(file_, NC_GLOBAL, name, text.size(), text.data()));
  }

 private:
  int file_ = 0;
};

using Ints = std::vector<int>;
using Doubles = std::vector<double>;

class WeightsFileTest : public ::testing::Test {
 protected:
  /// 4 source points in 2 rows, 3 target points. The second target point has a link twice, the third none.
  std::string scrip(const std::string& name, const Ints& source = {4, 1, 2, 1, 4},
                    const Ints& target = {2, 1, 2, 1, 2},
                    const Doubles& weight = {0.25, 0.5, 0.125, 0.5, 0.625}, std::size_t weights = 1) {
    const std::string path = directory_.path(name);
    MadeFile file(path);
    file.dimension("src_grid_size", 4);
    file.dimension("dst_grid_size", 3);
    file.dimension("src_grid_rank", 2);
    file.dimension("dst_grid_rank", 1);
    file.dimension("num_links", weight.size() / weights);
    file.dimension("num_wgts", weights);
    file.variable("src_grid_dims", {"src_grid_rank"}, Ints{2, 2});
    file.variable("dst_grid_dims", {"dst_grid_rank"}, Ints{3});
    file.variable("src_grid_center_lat", {"src_grid_size"}, Doubles{0, M_PI / 2, M_PI / 4, -M_PI / 2},
                  "radians");
    file.variable("src_grid_center_lon", {"src_grid_size"}, Doubles{0, M_PI, 0, M_PI}, "radians");
    file.variable("dst_grid_area", {"dst_grid_size"}, Doubles{1, 2, 3}, "square radians");
    file.variable("src_address", {"num_links"}, source);
    file.variable("dst_address", {"num_links"}, target);
    file.variable("remap_matrix", {"num_links", "num_wgts"}, weight);
    file.attribute("map_method", "By hand");
    file.attribute("normalization", "fracarea");
    return path;
  }

  std::string yac(const std::string& name, std::size_t fields, const std::string& has_fixed,
                  const std::string& version = "yac weight file 1.0") {
    const std::string path = directory_.path(name);
    MadeFile file(path);
    file.dimension("num_links", 2);
    file.dimension("num_wgts", 1);
    file.dimension("num_src_fields", fields);
    file.variable("src_address", {"num_links"}, Ints{7, 3});
    file.variable("dst_address", {"num_links"}, Ints{2, 2});
    file.variable("remap_matrix", {"num_links", "num_wgts"}, Doubles{0.75, 0.25});
    file.attribute("version", version);
    file.attribute("contains_links", "TRUE");
    file.attribute("contains_fixed_dst", has_fixed);
    return path;
  }

  std::string esmf(const std::string& name) {
    const std::string path = directory_.path(name);
    MadeFile file(path, NC_NETCDF4);
    file.dimension("n_a", 2);
    file.dimension("n_b", 2);
    file.dimension("nv_b", 3);
    file.dimension("n_s", 2);
    file.dimension("dst_grid_rank", 1);
    file.variable("dst_grid_dims", {"dst_grid_rank"}, Ints{2});
    file.variable("yc_a", {"n_a"}, Doubles{10, 20}, "degrees");
    file.variable("xc_a", {"n_a"}, Doubles{30, 40}, "degrees");
    file.variable("yc_b", {"n_b"}, Doubles{1, 2}, "degrees");
    file.variable("xc_b", {"n_b"}, Doubles{3, 4}, "degrees");
    file.variable("yv_b", {"n_b", "nv_b"}, Doubles{0, 1, 2, 3, 4, 5}, "degrees");
    file.variable("xv_b", {"n_b", "nv_b"}, Doubles{5, 4, 3, 2, 1, 0}, "degrees");
    file.variable("col", {"n_s"}, Ints{2, 1});
    file.variable("row", {"n_s"}, Ints{1, 2});
    file.variable("S", {"n_s"}, Doubles{0.5, 2});
    file.attribute("map_method", "Conservative remapping");
    return path;
  }

  template <class Call>
  static std::string refusal(const std::string& path, Call call) {
    const std::string text = error_of<UsageError>(call);
    return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : "without the file: " + text;
  }
  static std::string refusal(const std::string& path, Index first = 0, Index count = 3) {
    return refusal(path, [&] { read_weight_rows(path, first, count); });
  }

  TemporaryDirectory directory_;
};

TEST_F(WeightsFileTest, rows_rise_by_source_and_double_links_are_one) {
  const WeightRows rows = read_weight_rows(scrip("w.nc"), 0, 3);

  EXPECT_EQ(rows.begin, (std::vector<std::uint64_t>{0, 1, 3, 3}));
  EXPECT_EQ(rows.source, (std::vector<Index>{0, 1, 3}));
  EXPECT_EQ(rows.weight, (Doubles{1, 0.125, 0.875}));
}

TEST_F(WeightsFileTest, double_links_are_added_in_the_order_of_the_file) {
  // (1 - 1) + 2^-60 is 2^-60; 1 + 2^-60 - 1 would be 0.
  const std::string path = scrip("w.nc", {1, 1, 1}, {1, 1, 1}, {1, -1, 0x1p-60});

  EXPECT_EQ(read_weight_rows(path, 0, 1).weight, Doubles{0x1p-60});
}

TEST_F(WeightsFileTest, part_of_the_rows_is_what_all_rows_have_there) {
  const WeightRows rows = read_weight_rows(scrip("w.nc"), 1, 1), none = read_weight_rows(scrip("w.nc"), 3, 0);

  EXPECT_EQ(rows.begin, (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(rows.source, (std::vector<Index>{1, 3}));
  EXPECT_EQ(none.begin, std::vector<std::uint64_t>{0});
}

TEST_F(WeightsFileTest, head_says_what_the_grids_are) {
  const WeightsHead head = read_weights_head(scrip("w.nc"));

  EXPECT_EQ(head.source_dims, (std::vector<Index>{2, 2}));
  EXPECT_EQ(head.target_dims, std::vector<Index>{3});
  EXPECT_EQ(head.source_size, 4);
  EXPECT_EQ(head.target_size, 3);
  EXPECT_EQ(head.links, 5u);
  EXPECT_EQ(head.method, "By hand");
  EXPECT_EQ(head.normalization, "fracarea");
}

TEST_F(WeightsFileTest, centres_are_in_degrees_and_absent_where_the_file_has_none) {
  const std::string path = scrip("w.nc");
  const Centres source = read_source_centres(path, 1, 3);
  const Cells target = read_target_cells(path, 1, 2);

  EXPECT_EQ(source.latitude, (Doubles{90, 45, -90}));
  EXPECT_EQ(source.longitude, (Doubles{180, 0, 180}));
  EXPECT_TRUE(target.centres.latitude.empty());
  EXPECT_EQ(target.corners, 0);
  EXPECT_EQ(target.area, (Doubles{2, 3}));
}

TEST_F(WeightsFileTest, esmf_files_are_read) {
  const std::string path = esmf("w.nc");
  const WeightsHead head = read_weights_head(path);
  const WeightRows rows = read_weight_rows(path, 0, 2);
  const Cells target = read_target_cells(path, 1, 1);

  EXPECT_EQ(head.source_size, 2);
  EXPECT_TRUE(head.source_dims.empty());  // the file does not say
  EXPECT_EQ(rows.source, (std::vector<Index>{1, 0}));
  EXPECT_EQ(rows.weight, (Doubles{0.5, 2}));
  EXPECT_EQ(read_source_centres(path, 0, 2).latitude, (Doubles{10, 20}));
  EXPECT_EQ(target.corners, 3);
  EXPECT_EQ(target.corner_latitude, (Doubles{3, 4, 5}));
  EXPECT_EQ(target.centres.longitude, Doubles{4});
}

TEST_F(WeightsFileTest, yac_files_are_read_though_they_do_not_say_how_large_grids_are) {
  const std::string path = yac("w.nc", 1, "FALSE");
  const WeightsHead head = read_weights_head(path);
  const WeightRows rows = read_weight_rows(path, 0, 2);

  EXPECT_EQ(head.source_size, 0);
  EXPECT_EQ(head.target_size, 0);
  EXPECT_EQ(rows.begin, (std::vector<std::uint64_t>{0, 0, 2}));
  EXPECT_EQ(rows.source, (std::vector<Index>{2, 6}));
  EXPECT_EQ(rows.weight, (Doubles{0.25, 0.75}));
}

TEST_F(WeightsFileTest, yac_files_that_are_no_matrix_are_refused) {
  EXPECT_EQ(refusal(yac("w.nc", 2, "FALSE")),
            "its weights combine several source fields, which one field cannot give");
  EXPECT_EQ(refusal(yac("w.nc", 1, "TRUE")),
            "it gives fixed values to some target points; make it without the interpolation \"fixed\"");
  EXPECT_EQ(refusal(yac("w.nc", 1, "FALSE", "yac weight file 2.0")),
            "it is a \"yac weight file 2.0\", and Pileus reads \"yac weight file 1.0\"");
}

TEST_F(WeightsFileTest, several_weights_for_each_link_are_refused) {
  EXPECT_EQ(refusal(scrip("w.nc", {1, 2}, {1, 2}, {1, 0, 0, 1, 0, 0}, 3)),
            "it has 3 weights for each link, as second-order and bicubic methods have, which use gradients; "
            "cdo gencon, genbil, gennn, genlaf and gendis make files with one");
}

TEST_F(WeightsFileTest, addresses_of_no_point_are_refused) {
  EXPECT_EQ(refusal(scrip("w.nc", {5}, {1}, {1})),
            "its src_address has the address 5, and there are 4 points");
  EXPECT_EQ(refusal(scrip("w.nc", {0}, {1}, {1})),
            "its src_address has the address 0, and there are 4 points");
  EXPECT_EQ(refusal(scrip("w.nc", {1}, {4}, {1})),
            "its dst_address has the address 4, and there are 3 points");
  EXPECT_EQ(refusal(scrip("w.nc", {1}, {-1}, {1})),
            "its dst_address has the address -1, and there are 3 points");
}

TEST_F(WeightsFileTest, weights_that_are_no_numbers_are_refused) {
  EXPECT_EQ(refusal(scrip("w.nc", {1, 2}, {1, 2}, {1, std::nan("")})),
            "the weight of its link 2 is no finite number");
}

TEST_F(WeightsFileTest, sizes_that_contradict_each_other_are_refused) {
  const std::string path = directory_.path("w.nc");
  {
    MadeFile file(path);
    file.dimension("src_grid_size", 4);
    file.dimension("dst_grid_size", 3);
    file.dimension("rank", 2);
    file.dimension("num_links", 1);
    file.variable("src_grid_dims", {"rank"}, Ints{2, 3});
    file.variable("src_address", {"num_links"}, Ints{1});
    file.variable("dst_address", {"num_links"}, Ints{1});
    file.variable("remap_matrix", {"num_links"}, Doubles{1});
  }

  EXPECT_EQ(refusal(path), "its src_grid_dims are not those of its 4 points");
  EXPECT_EQ(refusal(scrip("v.nc"), 1, 3), "it has no points 1 to 3: there are 3");
}

TEST_F(WeightsFileTest, file_without_links_is_refused) {
  const std::string path = directory_.path("w.nc");
  {
    MadeFile file(path, NC_NETCDF4);
    file.dimension("num_links", NC_UNLIMITED);
    file.variable("src_address", {"num_links"}, Ints{});
    file.variable("dst_address", {"num_links"}, Ints{});
    file.variable("remap_matrix", {"num_links"}, Doubles{});
  }

  EXPECT_EQ(refusal(path), "it has no links, so that no target point gets a value");
}

TEST_F(WeightsFileTest, what_is_no_file_of_weights_is_refused) {
  const std::string other = directory_.path("other.nc"), text = directory_.path("text.nc");
  MadeFile(other).dimension("x", 1);
  std::ofstream(text) << "these are no weights\n";

  EXPECT_EQ(refusal(other), "it holds no weights that Pileus reads: those of CDO (SCRIP), ESMF or YAC");
  EXPECT_EQ(refusal(text), "it is no netCDF file");
  EXPECT_EQ(refusal(directory_.path("none.nc")), "it cannot be opened: No such file or directory");
}

TEST_F(WeightsFileTest, file_that_is_cut_off_is_refused) {
  const std::string path = scrip("w.nc");
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 8);  // the library would give 0 for the last weight

  EXPECT_EQ(refusal(path), "it is cut off: it has " + std::to_string(size - 8) + " bytes, and should have " +
                               std::to_string(size));
}

}  // namespace
}  // namespace pileus::netcdf
