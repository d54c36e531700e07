#include "formats/kinds/file_kind.h"

#include <algorithm>

namespace pileus {
namespace kinds {

const FileKind& netcdf4() {
  static const FileKind kind = {"netcdf4",
                                ".nc",
                                "NetCDF-4: one file, which every reader of the field knows",
                                {&codecs::deflate(), &codecs::zstd(), &codecs::blosc()},
                                true,
                                false};
  return kind;
}

const FileKind& zarr() {
  static const FileKind kind = {"zarr",
                                ".zarr",
                                "Zarr, version 3: a folder with shards, for xarray, Dask and object stores",
                                {&codecs::zstd(), &codecs::blosc()},
                                false,
                                true,
                                false,
                                "",
                                true,
                                true};
  return kind;
}

const FileKind& grib2() {
  static const FileKind kind = {"grib2",
                                ".grib2",
                                "GRIB, edition 2: a message for each field, level and time, for archives",
                                {&codecs::ccsds(), &codecs::simple()},
                                false,
                                false,
                                true,
                                ".errors.csv",
                                PILEUS_GRIB != 0};
  return kind;
}

}  // namespace kinds

const std::vector<const FileKind*>& all_file_kinds() {
#define PILEUS_LIST_KIND(name) &kinds::name(),
  static const std::vector<const FileKind*> all = {PILEUS_FILE_KINDS(PILEUS_LIST_KIND)};
#undef PILEUS_LIST_KIND
  return all;
}

const FileKind* find_file_kind(std::string_view name) {
  const auto found = std::ranges::find(all_file_kinds(), name, [](const FileKind* one) { return one->name; });
  return found == all_file_kinds().end() ? nullptr : *found;
}

const FileKind* file_kind_of(std::string_view file_name) {
  const auto found = std::ranges::find_if(
      all_file_kinds(), [&](const FileKind* one) { return file_name.ends_with(one->extension); });
  return found == all_file_kinds().end() ? nullptr : *found;
}

std::string_view without_extension(std::string_view file_name) {
  if (const FileKind* const kind = file_kind_of(file_name))
    file_name.remove_suffix(std::string_view(kind->extension).size());
  return file_name;
}

}  // namespace pileus
