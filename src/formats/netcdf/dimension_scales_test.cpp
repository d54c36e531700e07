#include "formats/netcdf/dimension_scales.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <netcdf.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/temporary_directory.h"
#include "formats/netcdf/hdf5_file.h"

namespace pileus::netcdf {
namespace {

#ifdef NC_NODIMSCALE_ATTACH

using Random = std::mt19937_64;

struct Content {
  std::vector<std::pair<std::string, std::size_t>> dimensions;
  std::vector<ScaledVariable> variables;
};

Content random_content(Random& random, std::size_t most_variables) {
  Content content;
  for (std::size_t d = 1 + random() % 5; d > 0; --d)
    content.dimensions.emplace_back("d" + std::to_string(d), random() % 3 == 0 ? 0 : 1 + random() % 4);
  const auto& dimensions = content.dimensions;
  const auto any = [&] { return dimensions[random() % dimensions.size()].first; };
  for (std::size_t v = random() % most_variables; v > 0; --v) {
    ScaledVariable variable{"v" + std::to_string(v), {}};
    for (std::size_t rank = 1 + random() % 4; rank > 0; --rank) {
      const std::string next = any();
      const auto& before = variable.dimensions;
      if (std::ranges::find(before, next) == before.end()) variable.dimensions.push_back(next);
    }
    content.variables.push_back(std::move(variable));
  }
  // Some have the name of a dimension: coordinates, coordinates of several dimensions, and others.
  std::set<std::string> taken;
  for (ScaledVariable& variable : content.variables) {
    const std::string name = random() % 2 == 0 ? variable.dimensions.front() : any();
    if (random() % 4 == 0 && taken.insert(name).second) variable.name = name;
  }
  return content;
}

void make(const std::string& path, const Content& content, bool by_library) {
  const auto check = [](int status) { ASSERT_EQ(status, NC_NOERR) << nc_strerror(status); };
  int file = 0;
  check(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER | (by_library ? 0 : NC_NODIMSCALE_ATTACH), &file));
  std::map<std::string, int> ids;
  for (const auto& [name, size] : content.dimensions)
    check(nc_def_dim(file, name.c_str(), size == 0 ? NC_UNLIMITED : size, &ids[name]));
  for (const ScaledVariable& variable : content.variables) {
    std::vector<int> dimensions;
    for (const std::string& name : variable.dimensions) dimensions.push_back(ids.at(name));
    int id = 0;
    check(nc_def_var(file, variable.name.c_str(), NC_FLOAT, static_cast<int>(dimensions.size()),
                     dimensions.data(), &id));
  }
  check(nc_enddef(file));
  if (!by_library) attach_scales(path, content.variables);
  check(nc_close(file));
}

std::string name_of(hid_t file, hobj_ref_t object) {
  const Hdf5Id id(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &object), H5Oclose);
  std::vector<char> name(300);
  H5Iget_name(id.get(), name.data(), name.size());
  return name.data();
}

/// "DIMENSION_LIST: /d1 /d2", and for scales "REFERENCE_LIST: /v1 0 /v2 1", by object.
std::map<std::string, std::vector<std::string>> scales_in(const std::string& path) {
  struct Use {
    hobj_ref_t variable;
    int dimension;
  };
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Hdf5Id list(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  const Hdf5Id use(H5Tcreate(H5T_COMPOUND, sizeof(Use)), H5Tclose);
  H5Tinsert(use.get(), "dataset", HOFFSET(Use, variable), H5T_STD_REF_OBJ);
  H5Tinsert(use.get(), "dimension", HOFFSET(Use, dimension), H5T_NATIVE_INT);
  std::map<std::string, std::vector<std::string>> all;
  H5G_info_t info = {};
  H5Gget_info(file.get(), &info);
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    std::vector<char> name(300);
    H5Lget_name_by_idx(file.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(), H5P_DEFAULT);
    std::vector<std::string>& said = all[name.data()];
    const Hdf5Id object(H5Dopen2(file.get(), name.data(), H5P_DEFAULT), H5Dclose);
    if (H5Aexists(object.get(), "DIMENSION_LIST") > 0) {
      const Hdf5Id attribute(H5Aopen(object.get(), "DIMENSION_LIST", H5P_DEFAULT), H5Aclose);
      const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
      std::vector<hvl_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
      H5Aread(attribute.get(), list.get(), values.data());
      for (const hvl_t& value : values) {
        EXPECT_EQ(value.len, 1U);
        said.push_back(name_of(file.get(), *static_cast<hobj_ref_t*>(value.p)));
      }
      H5Dvlen_reclaim(list.get(), space.get(), H5P_DEFAULT, values.data());
    }
    if (H5Aexists(object.get(), "REFERENCE_LIST") > 0) {
      const Hdf5Id attribute(H5Aopen(object.get(), "REFERENCE_LIST", H5P_DEFAULT), H5Aclose);
      const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
      std::vector<Use> uses(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
      H5Aread(attribute.get(), use.get(), uses.data());
      for (const Use& one : uses)
        said.push_back(name_of(file.get(), one.variable) + " " + std::to_string(one.dimension));
    }
  }
  return all;
}

TEST(DimensionScales, are_those_that_the_library_attaches_one_by_one) {
  silence_hdf5();
  const TemporaryDirectory directory;
  const std::string ours = directory.path() + "/ours.nc", theirs = directory.path() + "/theirs.nc";
  Random random(11);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const Content content = random_content(random, 12);
    make(ours, content, false);
    make(theirs, content, true);
    const auto expected = scales_in(theirs);
    ASSERT_EQ(scales_in(ours), expected);
  }
}

TEST(DimensionScales, of_lists_that_are_longer_than_an_attribute_in_a_header) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/many.nc";
  Content content{{{"time", 0}, {"x", 3}}, {}};
  for (int i = 0; i < 5000; ++i) content.variables.push_back({"v" + std::to_string(i), {"time", "x"}});

  make(path, content, false);

  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Hdf5Id list(H5Aopen_by_name(file.get(), "x", "REFERENCE_LIST", H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Hdf5Id space(H5Aget_space(list.get()), H5Sclose);
  EXPECT_EQ(H5Sget_simple_extent_npoints(space.get()), 5000);
}

TEST(DimensionScales, of_a_file_that_nobody_has_open_are_an_error) {
  EXPECT_THROW(attach_scales("/nowhere/x.nc", {{"v", {"x"}}}), OutputError);
}

#endif

}  // namespace
}  // namespace pileus::netcdf
