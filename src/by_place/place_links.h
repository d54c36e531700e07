#pragma once
// Values at places between the elements of two dimensions: stations, and sections through a field.

#include <memory>
#include <string>
#include <vector>

#include "core/regridding.h"

namespace pileus::operators {

/// The two dimensions among which places lie, the first of which is named first: "lat,lon", "y,x".
struct Plane {
  std::string y_name, x_name;
  int y_axis = 0, x_axis = 0;  ///< of the field
  bool is_on_sphere = false;   ///< they are latitudes and longitudes, in degrees
};

/// Errors: ParameterError of "dimensions".
Plane plane_of(const Rule& rule, const Quantity& field);

struct Places {
  std::vector<double> y, x;              ///< as the coordinates of the dimensions
  std::vector<std::string> names;        ///< of each place, or none
  std::vector<double> altitude;          ///< m, or none
  std::string parameter_y, parameter_x;  ///< of the rule, which errors name
};

/// The values of the field at these places: those of the nearest element, or bilinear between four. The two
/// dimensions become `dimension`. What is written of places has names that begin with that of the dimension.
/// Errors: ParameterError, also where a place lies outside by more than half a step.
Regridding at_places(const Quantity& field, const Plane& plane, Places places, bool is_nearest,
                     RegridDimension dimension);

}  // namespace pileus::operators
