#pragma once
// What the tables of CMIP say of the coordinates of a file. read_cmip finds it, and layout/cmip makes the
// file's dimensions of it.

#include <string>
#include <vector>

namespace pileus {

/// An entry of the table of coordinates; "" for what it does not say.
struct CmipCoordinate {
  std::string entry;  ///< "height2m"
  std::string name;   ///< of the variable in files: "height"
  std::string standard_name, long_name, units, axis, positive;
  bool is_text = false;
  bool needs_bounds = false;
  std::string value;              ///< of a scalar; "": it is a dimension
  std::vector<double> bounds;     ///< of a scalar: two, or none
  std::vector<double> requested;  ///< of a dimension: what it has to have; empty: anything
};

/// A dimension of a variable: one entry, or those of which it is one, as levels of the model are.
struct CmipDimension {
  std::string written;  ///< as the variable has it: "alevel"
  std::vector<CmipCoordinate> entries;
};

struct CmipFile {
  bool is_fixed = false;  ///< without a time axis
  double missing_value = 1e20;
  std::vector<CmipDimension> dimensions;  ///< without times
  std::vector<CmipCoordinate> scalars;
};

}  // namespace pileus
