#include "formats/netcdf/series.h"

#include <hdf5_hl.h>

#include "formats/netcdf/copied_dataset.h"

namespace pileus::netcdf {
namespace {

/// What HDF5 calls a type in files and in memory.
std::pair<hid_t, hid_t> types_of(const Series& series) {
  if (std::holds_alternative<std::vector<double>>(series.numbers)) return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE};
  return {H5T_STD_I32LE, H5T_NATIVE_INT32};
}

class SeriesMaker {
 public:
  SeriesMaker(const Hdf5File& file, const Series& series) : file_(file), series_(series) {}

  void make(const std::string& variable) const {
    const auto [in_file, in_memory] = types_of(series_);
    const auto [size, numbers] = std::visit(
        [](const auto& of) {
          return std::pair(static_cast<hsize_t>(of.size()), static_cast<const void*>(of.data()));
        },
        series_.numbers);
    const Hdf5Id space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Hdf5Id creation(creation_without_times());
    // Where the disk was full before, it may be there.
    if (H5Lexists(file_.id(), series_.name.c_str(), H5P_DEFAULT) > 0)
      check(H5Ldelete(file_.id(), series_.name.c_str(), H5P_DEFAULT));
    const Hdf5Id made(H5Dcreate2(file_.id(), series_.name.c_str(), in_file, space.get(), H5P_DEFAULT,
                                 creation.get(), H5P_DEFAULT),
                      H5Dclose);
    check(made.get());
    if (size > 0) check(H5Dwrite(made.get(), in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
    attach_axis_of(variable, made);
    for (const auto& [name, text] : series_.attributes)
      if (!text.empty()) add_text(made, name, text);
  }

 private:
  void attach_axis_of(const std::string& variable, const Hdf5Id& made) const {
    const Hdf5Id of(H5Dopen2(file_.id(), name_in_hdf5(file_.id(), variable).c_str(), H5P_DEFAULT), H5Dclose);
    check(of.get());
    std::pair<hid_t, herr_t> call = {made.get(), 0};
    const auto attach = [](hid_t, unsigned, hid_t scale, void* data) -> herr_t {
      auto& [variable_of, result] = *static_cast<std::pair<hid_t, herr_t>*>(data);
      result = H5DSattach_scale(variable_of, scale, 0);
      return result < 0 ? -1 : 1;
    };
    check(H5DSiterate_scales(of.get(), 0, nullptr, attach, &call));
  }

  void add_text(const Hdf5Id& made, const std::string& name, const std::string& text) const {
    const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose), scalar(H5Screate(H5S_SCALAR), H5Sclose);
    check(H5Tset_size(type.get(), text.size()));
    const Hdf5Id attribute(
        H5Acreate2(made.get(), name.c_str(), type.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(attribute.get());
    check(H5Awrite(attribute.get(), type.get(), text.data()));
  }

  void check(std::int64_t result) const { check_hdf5(result, file_.path(), "write " + series_.name); }

  const Hdf5File& file_;
  const Series& series_;
};

}  // namespace

void add_series(const Hdf5File& file, const std::string& variable, const Series& series) {
  SeriesMaker(file, series).make(variable);
}

std::uint64_t space_for_audit(std::size_t records) {
  constexpr std::uint64_t kDescriptions = 65536, kOfRecord = 3 * sizeof(double);
  return kDescriptions + kOfRecord * records;
}

}  // namespace pileus::netcdf
