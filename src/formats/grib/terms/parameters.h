#pragma once
// The parameters of GRIB that Pileus knows, and by which name of CF each goes. Source: WMO's code table 4.2
// (Manual on Codes, volume I.2), names and paramIds as ecCodes has them.

#include <string>
#include <string_view>
#include <vector>

namespace pileus::grib {

/// A surface of code table 4.5 and its value there; 255: there is none.
struct Surface {
  int type = 255;
  double value = 0;
  bool has_value = false;
  friend bool operator==(const Surface&, const Surface&) = default;
};

struct Parameter {
  int discipline = 0, category = 0, number = 0;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct KnownParameter {
  const char* short_name;
  int param_id;
  const char* standard_name;  ///< of CF; "": none
  Parameter parameter;
  const char* units;   ///< that GRIB has it in
  Surface first = {};  ///< where it is a field without levels: on which surface; the ground if none is said
  Surface second = {};
};

const std::vector<KnownParameter>& known_parameters();

/// What a variable is in messages.
struct ChosenParameter {
  Parameter parameter;
  std::string units;  ///< that it has to be in; "": not known
  Surface first = {}, second = {};
};

/// By what the configuration says: a shortName, a paramId or three numbers such as "0.2.9"; or where it says
/// nothing by the standard name. Errors: UsageError that says what to write.
ChosenParameter choose_parameter(std::string_view said, std::string_view standard_name);

}  // namespace pileus::grib
