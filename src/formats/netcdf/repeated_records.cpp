#include "formats/netcdf/repeated_records.h"

#include <hdf5_hl.h>

#include <array>
#include <cstdint>
#include <utility>

#include "formats/netcdf/copied_dataset.h"
#include "formats/repeated_names.h"

namespace pileus::netcdf {
namespace {

class Repetition {
 public:
  Repetition(const Hdf5File& file, std::string variable)
      : file_(file), name_(name_in_hdf5(file.id(), variable)), written_(written_records_name(name_)) {}

  void make(const std::vector<Index>& sources) const {
    check(H5Lmove(file_.id(), name_.c_str(), file_.id(), written_.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    const Hdf5Id from(H5Dopen2(file_.id(), written_.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Id type(H5Dget_type(from.get()), H5Tclose), space(H5Dget_space(from.get()), H5Sclose);
    const Hdf5Id creation(creation_without_times());
    check(from.get());
    check(type.get());
    check(creation.get());
    take_fill_value(from.get(), type.get(), creation.get());
    std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    map(sources, extents, space, creation);
    // netCDF lists variables in the order in which they were made, where a file says that it is known.
    const Hdf5Id plain(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
    const Hdf5Id made(H5Dcreate2(file_.id(), name_.c_str(), type.get(), plain.get(), H5P_DEFAULT,
                                 creation.get(), H5P_DEFAULT),
                      H5Dclose);
    check(made.get());
    copy_attributes(from.get(), made.get(), file_.path(), name_);
    give_scales(from.get(), made.get(), false, file_.path(), name_);
  }

 private:
  /// Records that stand for themselves and follow each other go together.
  void map(const std::vector<Index>& sources, const std::vector<hsize_t>& extents, const Hdf5Id& space,
           const Hdf5Id& creation) const {
    const Hdf5Id to(H5Scopy(space.get()), H5Sclose), from(H5Scopy(space.get()), H5Sclose);
    std::vector<hsize_t> start(extents.size(), 0), count = extents;
    const auto select = [&](const Hdf5Id& where, Index first, Index records) {
      start[0] = static_cast<hsize_t>(first);
      count[0] = static_cast<hsize_t>(records);
      check(H5Sselect_hyperslab(where.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
    };
    for (std::size_t first = 0; first < sources.size();) {
      std::size_t end = first + 1;
      const auto is_own = [&](std::size_t record) { return sources[record] == static_cast<Index>(record); };
      while (end < sources.size() && is_own(first) && is_own(end)) ++end;
      select(to, static_cast<Index>(first), static_cast<Index>(end - first));
      select(from, sources[first], static_cast<Index>(end - first));
      check(H5Pset_virtual(creation.get(), to.get(), ".", written_.c_str(), from.get()));
      first = end;
    }
  }

  void check(std::int64_t result) const { check_hdf5(result, file_.path(), "repeat records of " + name_); }

  const Hdf5File& file_;
  std::string name_, written_;
};

}  // namespace

void repeat_records(const Hdf5File& file, const std::string& variable, const std::vector<Index>& sources) {
  Repetition(file, variable).make(sources);
}

void add_sources(const Hdf5File& file, const std::string& variable, const std::vector<Index>& sources) {
  const std::string name = source_record_name(variable);
  const auto check = [&](std::int64_t result) { check_hdf5(result, file.path(), "write " + name); };
  const hsize_t size = sources.size();
  const Hdf5Id space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Hdf5Id creation(creation_without_times());
  const Hdf5Id made(H5Dcreate2(file.id(), name.c_str(), H5T_STD_I32LE, space.get(), H5P_DEFAULT,
                               creation.get(), H5P_DEFAULT),
                    H5Dclose);
  check(made.get());
  const std::vector<std::int32_t> numbers(sources.begin(), sources.end());
  if (size > 0) check(H5Dwrite(made.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  const Hdf5Id of(H5Dopen2(file.id(), name_in_hdf5(file.id(), variable).c_str(), H5P_DEFAULT), H5Dclose);
  check(of.get());
  std::pair<hid_t, herr_t> call = {made.get(), 0};
  const auto attach = [](hid_t, unsigned, hid_t scale, void* data) -> herr_t {
    auto& [variable_of, result] = *static_cast<std::pair<hid_t, herr_t>*>(data);
    result = H5DSattach_scale(variable_of, scale, 0);
    return result < 0 ? -1 : 1;
  };
  check(H5DSiterate_scales(of.get(), 0, nullptr, attach, &call));
  const std::string text = kSourceRecordHelp + variable;
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose), scalar(H5Screate(H5S_SCALAR), H5Sclose);
  check(H5Tset_size(type.get(), text.size()));
  const Hdf5Id attribute(
      H5Acreate2(made.get(), "long_name", type.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(attribute.get());
  check(H5Awrite(attribute.get(), type.get(), text.data()));
}

/// The list of mappings, the numbers, and descriptions.
std::uint64_t space_for_repeats(const std::vector<Index>& sources) {
  constexpr std::uint64_t kDescriptions = 262144, kMapping = 1024;
  return kDescriptions + kMapping * sources.size();
}

}  // namespace pileus::netcdf
