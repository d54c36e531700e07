#pragma once
// What the files zarr.json of a store say. Source: the specification of Zarr version 3; consolidated
// metadata as zarr-python has them; "_FillValue" as xarray reads it from Zarr version 3; levels by the
// conventions "multiscales" and "dggs" of zarr-conventions.

#include <span>
#include <string>
#include <vector>

#include "formats/zarr/array.h"

namespace pileus::zarr {

/// Of an array with so many records.
std::string text_of_array(const Array& array, Index records);

/// Of the store, with all arrays and groups; `records`: of each array.
std::string text_of_group(const std::vector<FileAttribute>& attributes, std::span<const Array> arrays,
                          std::span<const Index> records, const FileLevels& levels);

/// Of the group of a level, with the arrays in it. `attributes` and `arrays`: of the store.
std::string text_of_level(const std::vector<FileAttribute>& attributes, std::span<const Array> arrays,
                          std::span<const Index> records, const FileLevels& levels, int level);

/// A list of texts, from one row of `length` characters each: what the codec vlen-utf8 makes of it.
/// They end with the first character that is 0.
std::vector<std::byte> encoded_texts(std::span<const std::byte> rows, std::size_t length);

}  // namespace pileus::zarr
