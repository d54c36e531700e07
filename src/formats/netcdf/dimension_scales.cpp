#include "formats/netcdf/dimension_scales.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "core/error.h"
#include "formats/netcdf/hdf5_file.h"

namespace pileus::netcdf {
namespace {

/// An element of REFERENCE_LIST: a variable, and which of its dimensions it is.
struct UseOfScale {
  hobj_ref_t variable;
  int dimension;
  int unused = 0;  // no byte of it is undefined
};

/// The file that netCDF has open.
hid_t open_file(const std::string& path) {
  const ssize_t count = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE);
  std::vector<hid_t> open(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  const ssize_t found = H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_FILE, open.size(), open.data());
  for (ssize_t i = 0; i < std::min(found, count); ++i) {
    const hid_t file = open[static_cast<std::size_t>(i)];
    std::vector<char> name(path.size() + 2);
    if (H5Fget_name(file, name.data(), name.size()) >= 0 && path == name.data()) return file;
  }
  throw OutputError(path + ": could not write its definition: HDF5 does not have it open");
}

class Attachment {
 public:
  explicit Attachment(const std::string& path)
      : path_(path),
        file_(open_file(path)),
        list_type_(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose),
        use_type_(H5Tcreate(H5T_COMPOUND, sizeof(UseOfScale)), H5Tclose) {
    check(H5Tinsert(use_type_.get(), "dataset", offsetof(UseOfScale, variable), H5T_STD_REF_OBJ));
    check(H5Tinsert(use_type_.get(), "dimension", offsetof(UseOfScale, dimension), H5T_NATIVE_INT));
  }

  void add(const ScaledVariable& variable) {
    const std::string name = name_in_hdf5(file_, variable.name);
    hobj_ref_t self = 0;
    check(H5Rcreate(&self, file_, name.c_str(), H5R_OBJECT, -1));
    std::vector<hvl_t> scales;
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      Scale& scale = scales_[variable.dimensions[d]];
      if (scale.uses.empty())
        check(H5Rcreate(&scale.self, file_, variable.dimensions[d].c_str(), H5R_OBJECT, -1));
      scale.uses.push_back({self, static_cast<int>(d), 0});
      scales.push_back({1, &scale.self});
    }
    write(name, "DIMENSION_LIST", list_type_, scales.size(), scales.data());
  }

  void finish() {
    for (const auto& [name, scale] : scales_)
      write(name, "REFERENCE_LIST", use_type_, scale.uses.size(), scale.uses.data());
  }

 private:
  struct Scale {
    hobj_ref_t self = 0;
    std::vector<UseOfScale> uses;
  };

  void write(const std::string& object, const char* name, const Hdf5Id& type, std::size_t size,
             const void* values) const {
    const hsize_t count = size;
    const Hdf5Id dataset(H5Dopen2(file_, object.c_str(), H5P_DEFAULT), H5Dclose);
    check(dataset.get());
    const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    check(space.get());
    const Hdf5Id attribute(H5Acreate2(dataset.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    check(attribute.get());
    check(H5Awrite(attribute.get(), type.get(), values));
  }
  void check(std::int64_t result) const { check_hdf5(result, path_, "write its definition"); }

  const std::string& path_;
  hid_t file_;
  Hdf5Id list_type_, use_type_;
  std::map<std::string, Scale> scales_;  ///< their nodes stay where they are
};

}  // namespace

void attach_scales(const std::string& path, const std::vector<ScaledVariable>& variables) {
  Attachment attachment(path);
  for (const ScaledVariable& variable : variables)
    if (!variable.is_scale()) attachment.add(variable);
  attachment.finish();
}

}  // namespace pileus::netcdf
