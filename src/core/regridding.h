#pragma once
// What an operator makes of elements that lie on any model ranks: each point of its result is a sum over
// points of its input. Servers bring these together before they add them up (docs/decisions/072).

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/region.h"
#include "pileus/operator.hpp"

namespace pileus {

/// What a range of points of the result is made of: those of the input and their weights, by point. A point's
/// links rise, and each is there once.
struct LinkRows {
  std::vector<std::uint64_t> begin = {0};  ///< where the links of each point begin, and where the last end
  std::vector<Index> source;
  std::vector<double> weight;  ///< empty: no weights
  std::size_t rows() const { return begin.size() - 1; }
};

/// How a point is made of its links. Elements that stand for no value are left out of the first two.
enum class LinkSum : std::uint8_t {
  weighted,  ///< the sum of weight times element, in the order of the links
  mean,      ///< the sum of the elements, in their order, divided by their number
  copy       ///< the one element that there is
};

/// What becomes of a point of which some elements are missing; where all are, it is missing.
enum class LinkMissing : std::uint8_t {
  scaled,  ///< the weights of the others are scaled so that they add up to what all did
  missing
};

/// A dimension that a regridding brings.
struct RegridDimension {
  std::string name;
  Index size = 0;
  std::vector<double> coordinates = {}, bounds = {};  ///< empty, or one and two for each element
  std::string units = {}, standard_name = {}, axis = {};
  /// Of blocks: the position of the dimension that they are cut from, which says what coordinates are, and
  /// the length of each block but the last.
  int cut_from = -1;
  Index block = 0;
};

enum class CellPart : std::uint8_t { latitude, longitude, latitude_bounds, longitude_bounds, altitude, name };

/// Where the cells of a grid lie, in degrees, where that is no matter of its dimensions alone. Cells are
/// numbered over these, the fastest first.
struct PlacesOfCells {
  std::string identity;             ///< other places have another one
  std::string grid;                 ///< a name for it, before those of variables that are taken
  std::string latitude, longitude;  ///< names of variables
  Index corners = 0;                ///< of each cell; 0 where they are not known
  /// Of stations on a plane: the variables above are y and x, in these units.
  std::optional<std::array<std::string, 2>> plane_units = {};
  std::string altitude = {}, name = {};  ///< names of variables, of stations that have such
  std::vector<std::string> names = {};   ///< of stations; what `read` has no numbers for
  /// Of HEALPix in nested order, in which four cells that follow each other are one of the next coarser grid:
  /// cells along the side of one of 12 base cells, a power of two. 0: of other grids.
  Index nested_nside = 0;
  std::function<std::shared_ptr<const PlacesOfCells>(Index nside)> coarser = {};  ///< likewise
  /// Of some cells; bounds are those of one cell after the other. One thread at a time, as it may call the
  /// netCDF library. Errors: UsageError.
  std::function<std::vector<double>(CellPart part, Index first, Index count)> read;
};

/// A grid that values are regridded to, as a file has it.
struct GridOfFile {
  std::vector<RegridDimension> dimensions;           ///< fastest first
  std::shared_ptr<const PlacesOfCells> places = {};  ///< null where the dimensions say where cells lie
  Index size() const {
    Index size = 1;
    for (const RegridDimension& one : dimensions) size *= one.size;
    return size;
  }
};

/// Reads what a file says of its grid, and nothing of its many cells. Errors: UsageError "FILE: …".
using ReadGrid = std::function<GridOfFile(const std::string& path)>;

struct Regridding {
  /// Positions of the input's dimensions over which its points are numbered, rising: the fastest first.
  std::vector<int> axes;
  /// The dimensions of the result's points, fastest first. They stand where the first of `axes` does. Empty:
  /// the result has the dimensions of the input.
  std::vector<RegridDimension> dimensions;
  std::shared_ptr<const PlacesOfCells> places = {};  ///< of the result's points; null: as GridOfFile
  /// Equal in two rules if the links of both are. What they need of a step then travels together.
  std::string links_name;
  /// The links of some points of the result. Empty: they stand in the file.
  std::function<LinkRows(Index first, Index count)> links = {};
  std::string file = {};
  LinkSum sum = LinkSum::weighted;
  LinkMissing missing = LinkMissing::scaled;
  bool has_holes = false;  ///< there may be points without links, which are missing
  bool is_on_one = false;  ///< all points are on rank 0's stream, as they are one plane or line

  /// By axis, where the result is the input itself with a halo: a rank's stream gets what the rank holds and
  /// what lies beside that, as `with_halo` says. Nothing is added up. Empty: it is no halo.
  std::vector<operators::Halo> halo = {};

  /// Number of points of the result.
  Index target_size = 0, source_size = 0;  ///< of points
};

/// Where some cells lie, in degrees; empty where nothing says it.
struct CellPlaces {
  std::vector<double> latitude, longitude;
  Index corners = 0;                                      ///< of each cell; 0 where they are not known
  std::vector<double> corner_latitude, corner_longitude;  ///< those of one cell after the other
};

/// Where the slowest dimension of its points stands in the result.
inline std::size_t slowest_of_points(const Regridding& how) {
  return how.dimensions.empty() ? static_cast<std::size_t>(how.axes.back())
                                : static_cast<std::size_t>(how.axes.front()) + how.dimensions.size() - 1;
}

}  // namespace pileus
