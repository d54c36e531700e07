#pragma once
// What rounding did to the numbers of a record: the largest error, the mean of its squares, and how much of
// the variance it took. Parts of a record are added up in the order of its chunks, which follows from the
// file, so that the bits do not depend on who had which.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/element_type.h"
#include "core/encoder.h"

namespace pileus {

/// Sums over elements that have a number, in the units of the variable.
struct Audit {
  std::int64_t count = 0;
  double largest = 0;  ///< distance of a number in the file from the number that was given, exact
  double squares = 0;  ///< of errors
  double mean = 0, mean_error = 0;
  double deviations = 0;  ///< squares of the given numbers' deviations from their mean
  double products = 0;    ///< of these deviations and the errors
  Audit& operator+=(const Audit& other);
  friend bool operator==(const Audit&, const Audit&) = default;
};

/// Of dense elements as they were given, NaN for those without a number, and as they are in the file.
/// REQUIRES: float32 or float64; `after` has an element of it for each.
Audit audit_of(std::span<const double> before, std::span<const std::byte> after, ElementType type);

/// The root of the mean of squares of errors; NaN where there is no number.
double rms_error(const Audit& audit);
/// Which part of the variance is lost, negative where there is more of it; NaN where there is no number, or
/// none varies and errors do.
double variance_loss(const Audit& audit);
/// NaN where there is no number.
double largest_error(const Audit& audit);

void put(Encoder& out, const Audit& audit);
/// Errors: TransportError.
Audit get_audit(Decoder& in);

}  // namespace pileus
