#pragma once
// Makes a variable of which some records were left out read as if each had them: the records that are there
// become another dataset, and the variable a virtual one, which takes each record from where it is.

#include <string>
#include <vector>

#include "core/region.h"
#include "formats/netcdf/hdf5_file.h"
#include "formats/repeated_chunks.h"

namespace pileus::netcdf {

/// `regions`: of the chunks of a record, fastest dimension first. What the variable says, and its dimensions,
/// stay. Errors: OutputError.
void repeat_records(const Hdf5File& file, const std::string& variable, const RepeatedChunks& sources,
                    const std::vector<Region>& regions);

/// Adds a variable of whole numbers along the dimension of the records that says the same to readers.
void add_sources(const Hdf5File& file, const std::string& variable, const RepeatedChunks& sources);

/// More bytes than both take.
std::uint64_t space_for_repeats(const RepeatedChunks& sources);

}  // namespace pileus::netcdf
