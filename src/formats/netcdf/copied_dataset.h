#pragma once
// What a dataset of HDF5 takes from another in whose place it comes.

#include <string>

#include "formats/netcdf/hdf5_file.h"

namespace pileus::netcdf {

/// Times would make each file another.
Hdf5Id creation_without_times();

void take_fill_value(hid_t from, hid_t type, hid_t creation);

/// But for the list of its dimensions. Errors: OutputError.
void copy_attributes(hid_t from, hid_t to, const std::string& path, const std::string& name);

/// Gives it the dimension scales of the other, which loses them where it goes. Errors: OutputError.
void give_scales(hid_t from, hid_t to, bool is_going, const std::string& path, const std::string& name);

}  // namespace pileus::netcdf
