#include "formats/netcdf/copied_dataset.h"

#include <hdf5_hl.h>

#include <array>
#include <vector>

namespace pileus::netcdf {

Hdf5Id creation_without_times() {
  Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation.get(), false);
  return creation;
}

void take_fill_value(hid_t from, hid_t type, hid_t creation) {
  const Hdf5Id before(H5Dget_create_plist(from), H5Pclose);
  std::array<std::byte, 8> fill = {};
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  if (H5Pfill_value_defined(before.get(), &defined) < 0 || defined != H5D_FILL_VALUE_USER_DEFINED) return;
  if (H5Pget_fill_value(before.get(), type, fill.data()) >= 0) H5Pset_fill_value(creation, type, fill.data());
}

void copy_attributes(hid_t from, hid_t to, const std::string& path, const std::string& of) {
  const auto check = [&](std::int64_t result) { check_hdf5(result, path, "copy attributes of " + of); };
  const int count = H5Aget_num_attrs(from);
  check(count);
  for (int i = 0; i < count; ++i) {
    const Hdf5Id one(H5Aopen_by_idx(from, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, static_cast<hsize_t>(i),
                                    H5P_DEFAULT, H5P_DEFAULT),
                     H5Aclose);
    check(one.get());
    const auto length = H5Aget_name(one.get(), 0, nullptr);
    check(length);
    std::string name(static_cast<std::size_t>(length), '\0');
    H5Aget_name(one.get(), name.size() + 1, name.data());
    if (name == "DIMENSION_LIST") continue;
    const Hdf5Id type(H5Aget_type(one.get()), H5Tclose), space(H5Aget_space(one.get()), H5Sclose);
    const auto elements = H5Sget_simple_extent_npoints(space.get());
    check(elements);
    std::vector<std::byte> bytes(H5Tget_size(type.get()) * static_cast<std::size_t>(elements));
    const bool is_variable = H5Tis_variable_str(type.get()) > 0;
    const Hdf5Id copy(H5Acreate2(to, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
    check(copy.get());
    if (bytes.empty()) continue;
    check(H5Aread(one.get(), type.get(), bytes.data()));
    check(H5Awrite(copy.get(), type.get(), bytes.data()));
    if (is_variable) H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, bytes.data());
  }
}

void give_scales(hid_t from, hid_t to, bool is_going, const std::string& path, const std::string& name) {
  struct Call {
    hid_t from, to;
    bool is_going;
    herr_t result;
  };
  const Hdf5Id space(H5Dget_space(from), H5Sclose);
  const int dimensions = H5Sget_simple_extent_ndims(space.get());
  for (int d = 0; d < dimensions; ++d) {
    Call call = {from, to, is_going, 0};
    const auto give = [](hid_t, unsigned dimension, hid_t scale, void* data) -> herr_t {
      auto& one = *static_cast<Call*>(data);
      one.result = H5DSattach_scale(one.to, scale, dimension);
      if (one.result >= 0 && one.is_going) one.result = H5DSdetach_scale(one.from, scale, dimension);
      return one.result < 0 ? -1 : 1;
    };
    check_hdf5(H5DSiterate_scales(from, static_cast<unsigned>(d), nullptr, give, &call), path,
               "give " + name + " its dimensions");
  }
}

}  // namespace pileus::netcdf
