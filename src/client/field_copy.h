#pragma once
// Copies a field's array, or that of a part of a field, as often as it is wanted: that of a box as it lies,
// that of points by their rising index.

#include <optional>

#include "client/gather.h"
#include "client/strided_copy.h"

namespace pileus {

class FieldCopy {
 public:
  /// `points`: null for a box. REQUIRES: array and points outlive this object.
  FieldCopy(const StridedArray& array, const HeldPoints* points, PointDimensions along)
      : array_(array), points_(points), along_(along) {}

  /// Takes what memory it needs. Errors: std::bad_alloc.
  void prepare() {
    if (points_ != nullptr && !gathering_) gathering_.emplace(array_, *points_, along_);
  }
  /// REQUIRES: prepare(), and what copy_strided() and Gathering::copy() require.
  void operator()(ElementType type, std::byte* to) const {
    if (gathering_) return gathering_->copy(type, to);
    copy_strided(array_, type, to);
  }
  bool is_of_points() const { return points_ != nullptr; }

 private:
  const StridedArray& array_;
  const HeldPoints* points_;
  PointDimensions along_;
  std::optional<Gathering> gathering_;
};

}  // namespace pileus
