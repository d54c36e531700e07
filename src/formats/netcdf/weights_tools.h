#pragma once
// What tools that make weights read, and what is noted in the files that they write. One thread at a time, as
// for all that calls the netCDF library.

#include <string>
#include <utility>
#include <vector>

#include "weights/source_grid.h"

namespace pileus {

/// Writes a CF file with one variable on the grid, which has values where the mask has: CDO sees a mask by
/// missing values alone. Errors: OutputError.
void write_grid_for_cdo(const std::string& path, const SourceGrid& grid);

/// Global attributes of text, by name.
using Texts = std::vector<std::pair<std::string, std::string>>;

/// Errors: OutputError.
void add_texts(const std::string& path, const Texts& texts);

/// The global attribute of a netCDF file; "" if there is no such file or attribute.
std::string text_of_file(const std::string& path, const std::string& attribute);

}  // namespace pileus
