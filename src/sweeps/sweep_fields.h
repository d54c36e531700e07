#pragma once
// The fields of a sweep, tile by tile in double precision: floats are widened, which is exact, when a tile of
// them is read. Used by Sweep.

#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.h"
#include "math/sample.h"

namespace pileus {

class SweepFields {
 public:
  /// Takes the place of all fields before. `tile_size`: what a tile has at most, and more.
  /// REQUIRES: `values`, by ValueId, outlives it; each of the fields is an array of doubles or floats.
  void take(const std::vector<ValueId>& fields, const std::vector<Sample>& values, std::size_t tile_size);

  std::size_t size() const { return fields_.size(); }
  /// Binary digits of its numbers.
  int digits(std::size_t field) const { return fields_[field].floats != nullptr ? 24 : 53; }
  /// The elements of a tile, until the next tile of the field is read.
  /// REQUIRES: tiles of a field do not overlap, or are the same.
  const double* read(std::size_t field, Index first_element, Index elements);
  /// Element first + i * stride becomes out[i].
  void copy(std::size_t field, Index first_element, Index stride, std::span<double> out) const;

 private:
  struct Field {
    const double* doubles = nullptr;
    const float* floats = nullptr;  ///< where it has no doubles
    Index widened = kNone;          ///< the first element of the tile that is in its place of widened_
  };
  static constexpr Index kNone = -1;

  std::vector<Field> fields_;
  std::size_t tile_size_ = 0;
  std::vector<double> widened_;  ///< a tile for each field, if any field has floats
};

}  // namespace pileus
