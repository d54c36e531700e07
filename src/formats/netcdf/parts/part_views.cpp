#include "formats/netcdf/parts/part_views.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "formats/netcdf/copied_dataset.h"

namespace pileus::netcdf {
namespace {

/// In names of sources "%" stands for something else.
std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}
std::string unescaped(const std::string& name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    out += name[i];
    if (name[i] == '%' && i + 1 < name.size() && name[i + 1] == '%') ++i;
  }
  return out;
}

/// The record, then slowest to fastest.
std::vector<hsize_t> slowest_first(Index record, const std::vector<Index>& numbers) {
  std::vector<hsize_t> out = {static_cast<hsize_t>(record)};
  std::ranges::reverse_copy(numbers, std::back_inserter(out));
  return out;
}

class Reference {
 public:
  Reference(const Hdf5File& file, const std::string& variable)
      : file_(file), name_(name_in_hdf5(file.id(), variable)) {}

  void make(const std::vector<PartBox>& boxes) const {
    if (has_records()) replace(boxes);
  }

 private:
  bool has_records() const {
    const Hdf5Id from(H5Dopen2(file_.id(), name_.c_str(), H5P_DEFAULT), H5Dclose);
    check(from.get());
    const Hdf5Id space(H5Dget_space(from.get()), H5Sclose);
    return H5Sget_simple_extent_npoints(space.get()) > 0;
  }

  void replace(const std::vector<PartBox>& boxes) const {
    const std::string aside = name_ + ".plain";
    check(H5Lmove(file_.id(), name_.c_str(), file_.id(), aside.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    {
      const Hdf5Id from(H5Dopen2(file_.id(), aside.c_str(), H5P_DEFAULT), H5Dclose);
      check(from.get());
      const Hdf5Id type(H5Dget_type(from.get()), H5Tclose), space(H5Dget_space(from.get()), H5Sclose);
      const Hdf5Id creation(creation_without_times());
      check(type.get());
      set_fill_value(from, type, creation);
      std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
      H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
      const Hdf5Id plain(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                         H5Sclose);
      for (const PartBox& box : boxes) map(box, plain, creation);
      const Hdf5Id made(H5Dcreate2(file_.id(), name_.c_str(), type.get(), plain.get(), H5P_DEFAULT,
                                   creation.get(), H5P_DEFAULT),
                        H5Dclose);
      check(made.get());
      copy_attributes(from.get(), made.get(), file_.path(), name_);
      give_scales(from.get(), made.get(), true, file_.path(), name_);
    }
    check(H5Ldelete(file_.id(), aside.c_str(), H5P_DEFAULT));
  }

  /// What is in no box reads as what the attribute says: netCDF, told not to fill, says it to nobody else.
  void set_fill_value(const Hdf5Id& from, const Hdf5Id& type, const Hdf5Id& creation) const {
    constexpr const char* kFillValue = "_FillValue";
    std::array<std::byte, 8> fill = {};
    if (H5Aexists(from.get(), kFillValue) <= 0 || H5Tget_size(type.get()) > fill.size()) return;
    const Hdf5Id attribute(H5Aopen(from.get(), kFillValue, H5P_DEFAULT), H5Aclose);
    check(attribute.get());
    check(H5Aread(attribute.get(), type.get(), fill.data()));
    check(H5Pset_fill_value(creation.get(), type.get(), fill.data()));
  }

  void map(const PartBox& box, const Hdf5Id& space, const Hdf5Id& creation) const {
    const Hdf5Id to(H5Scopy(space.get()), H5Sclose);
    const auto start = slowest_first(box.first, box.region.start);
    const auto count = slowest_first(box.end - box.first, box.region.count);
    const auto extents = slowest_first(box.end, box.stored);
    std::vector<hsize_t> there(start.size(), 0);
    there.front() = start.front();
    const Hdf5Id from(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
    check(from.get());
    const auto select = [&](const Hdf5Id& where, const std::vector<hsize_t>& first) {
      check(H5Sselect_hyperslab(where.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr));
    };
    select(to, start);
    select(from, there);
    check(H5Pset_virtual(creation.get(), to.get(), escaped(box.file).c_str(), escaped(box.dataset).c_str(),
                         from.get()));
  }

  void check(std::int64_t result) const { check_hdf5(result, file_.path(), "refer to parts of " + name_); }

  const Hdf5File& file_;
  std::string name_;
};

std::size_t axis_of(std::uint32_t variable, const std::vector<AxisVariables>& axes) {
  const auto found = std::ranges::find_if(
      axes, [&](const AxisVariables& axis) { return std::ranges::count(axis.indices, variable) > 0; });
  return static_cast<std::size_t>(found - axes.begin());
}

}  // namespace

PartsOfVariables boxes_of(const std::vector<PartOfFile>& parts, const std::vector<PartVariable>& variables,
                          const std::vector<AxisVariables>& axes) {
  PartsOfVariables all;
  for (const AxisVariables& axis : axes) {
    const std::size_t own = axis.variables.size() - axis.indices.size();  // behind the time and its bounds
    for (std::size_t i = 0; i < axis.indices.size(); ++i) {
      if (axis.variables[own + i].is_in_parts) all.variables[axis.indices[i]];
    }
  }
  for (const PartOfFile& part : parts) {
    for (const PartDataset& dataset : part.datasets) {
      const std::size_t axis = axis_of(dataset.variable, axes);
      const Index first = part.first.at(axis), end = part.end.at(axis);
      if (end <= first) continue;
      all.variables[dataset.variable].push_back({part.name,
                                                 name_in_part(variables.at(dataset.variable), dataset), first,
                                                 end, dataset.region, dataset.stored});
    }
  }
  return all;
}

std::uint64_t space_for_parts(const PartsOfVariables& parts) {
  constexpr std::uint64_t kDescriptions = 262144, kBox = 1024, kVariable = 65536;
  std::uint64_t bytes = kDescriptions;
  for (const auto& [variable, boxes] : parts.variables) bytes += kVariable + kBox * boxes.size();
  return bytes;
}

void refer_to_parts(const Hdf5File& file, const std::string& variable, const std::vector<PartBox>& boxes) {
  Reference(file, variable).make(boxes);
}

std::vector<std::string> parts_in(const std::string& path) {
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  H5Pset_file_locking(access.get(), false, true);
#endif
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  check_hdf5(file.get(), path, "open it");
  H5G_info_t group = {};
  check_hdf5(H5Gget_info(file.get(), &group), path, "list it");
  std::set<std::string> names;
  for (hsize_t i = 0; i < group.nlinks; ++i) {
    const Hdf5Id object(H5Oopen_by_idx(file.get(), ".", H5_INDEX_NAME, H5_ITER_NATIVE, i, H5P_DEFAULT),
                        H5Oclose);
    check_hdf5(object.get(), path, "open what is in it");
    if (H5Iget_type(object.get()) != H5I_DATASET) continue;
    const Hdf5Id creation(H5Dget_create_plist(object.get()), H5Pclose);
    std::size_t count = 0;
    check_hdf5(creation.get(), path, "ask how a variable lies");
    const H5D_layout_t layout = H5Pget_layout(creation.get());
    check_hdf5(layout, path, "ask how a variable lies");
    if (layout != H5D_VIRTUAL) continue;
    check_hdf5(H5Pget_virtual_count(creation.get(), &count), path, "ask what it refers to");
    for (std::size_t one = 0; one < count; ++one) {
      const auto length = H5Pget_virtual_filename(creation.get(), one, nullptr, 0);
      check_hdf5(length, path, "read what it refers to");
      std::string name(static_cast<std::size_t>(length), '\0');
      H5Pget_virtual_filename(creation.get(), one, name.data(), name.size() + 1);
      if (name != ".") names.insert(unescaped(name));
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace pileus::netcdf
