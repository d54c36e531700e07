#pragma once
// Variables whose records lie in the parts of servers: virtual datasets of HDF5, which readers do not notice.

#include <map>
#include <string>
#include <vector>

#include "formats/netcdf/define.h"
#include "formats/netcdf/hdf5_file.h"
#include "formats/parts.h"

namespace pileus::netcdf {

/// A box of some records of a variable, and the dataset that has it.
struct PartBox {
  std::string file, dataset;
  Index first = 0, end = 0;  ///< records
  Region region;             ///< fastest first
  std::vector<Index> stored;
};

struct PartsOfVariables {
  std::map<std::uint32_t, std::vector<PartBox>> variables;  ///< all that lie in parts
};
PartsOfVariables boxes_of(const std::vector<PartOfFile>& parts, const std::vector<PartVariable>& variables,
                          const std::vector<AxisVariables>& axes);
/// At most so many bytes are needed for them.
std::uint64_t space_for_parts(const PartsOfVariables& parts);

/// Puts a virtual dataset in the place of the variable, which has no data of its own. What is in no box reads
/// as its fill value. Errors: OutputError.
void refer_to_parts(const Hdf5File& file, const std::string& variable, const std::vector<PartBox>& boxes);

/// The files that datasets of this one refer to, ascending. Errors: OutputError.
std::vector<std::string> parts_in(const std::string& path);

}  // namespace pileus::netcdf
