#include "formats/netcdf/repeated_records.h"

#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "formats/netcdf/copied_dataset.h"
#include "formats/netcdf/series.h"
#include "formats/repeated_names.h"

namespace pileus::netcdf {
namespace {

class Repetition {
 public:
  Repetition(const Hdf5File& file, std::string variable)
      : file_(file), name_(name_in_hdf5(file.id(), variable)), written_(written_records_name(name_)) {}

  void make(const RepeatedChunks& sources, const std::vector<Region>& regions) const {
    // Where the disk was full before, both may be there.
    if (H5Lexists(file_.id(), written_.c_str(), H5P_DEFAULT) <= 0)
      check(H5Lmove(file_.id(), name_.c_str(), file_.id(), written_.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    else if (H5Lexists(file_.id(), name_.c_str(), H5P_DEFAULT) > 0)
      check(H5Ldelete(file_.id(), name_.c_str(), H5P_DEFAULT));
    const Hdf5Id from(H5Dopen2(file_.id(), written_.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Id type(H5Dget_type(from.get()), H5Tclose), space(H5Dget_space(from.get()), H5Sclose);
    const Hdf5Id creation(creation_without_times());
    check(from.get());
    check(type.get());
    check(creation.get());
    take_fill_value(from.get(), type.get(), creation.get());
    std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
    H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    if (sources.are_apart()) {
      for (std::size_t c = 0; c < regions.size(); ++c)
        map(sources.of_chunk(c), box_of(regions[c], extents), space, creation);
    } else {
      map(sources.of_chunk(0), {std::vector<hsize_t>(extents.size(), 0), extents}, space, creation);
    }
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
  /// Where a box lies, and its extents; slowest dimension, the records, first.
  using Box = std::pair<std::vector<hsize_t>, std::vector<hsize_t>>;

  /// Of a chunk, without what reaches past the extents.
  static Box box_of(const Region& region, const std::vector<hsize_t>& extents) {
    Box box{{0}, {0}};
    for (std::size_t d = 1; d < extents.size(); ++d) {
      const std::size_t at = extents.size() - 1 - d;  // the region has its fastest dimension first
      const auto start = static_cast<hsize_t>(region.start[at]);
      box.first.push_back(start);
      box.second.push_back(std::min(static_cast<hsize_t>(region.count[at]), extents[d] - start));
    }
    return box;
  }

  /// Records that stand for themselves and follow each other go together.
  void map(const std::vector<Index>& sources, Box box, const Hdf5Id& space, const Hdf5Id& creation) const {
    const Hdf5Id to(H5Scopy(space.get()), H5Sclose), from(H5Scopy(space.get()), H5Sclose);
    auto& [start, count] = box;
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

void repeat_records(const Hdf5File& file, const std::string& variable, const RepeatedChunks& sources,
                    const std::vector<Region>& regions) {
  Repetition(file, variable).make(sources, regions);
}

void add_sources(const Hdf5File& file, const std::string& variable, const RepeatedChunks& sources) {
  const std::vector<Index> oldest = sources.oldest();
  const std::vector<std::int32_t> numbers(oldest.begin(), oldest.end());
  const std::string help = source_record_help(variable, sources.are_apart());
  add_series(file, variable, {source_record_name(variable), numbers, {{"long_name", help}}});
}

/// The list of mappings, the numbers, and descriptions.
std::uint64_t space_for_repeats(const RepeatedChunks& sources) {
  constexpr std::uint64_t kDescriptions = 262144, kMapping = 1024;
  std::uint64_t mappings = 0;
  for (std::size_t c = 0; c < (sources.are_apart() ? sources.chunks() : 1); ++c)
    mappings += sources.of_chunk(c).size();
  return kDescriptions + kMapping * mappings;
}

}  // namespace pileus::netcdf
