#pragma once
// The pieces of windows' states that several manipulations have, as bytes.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/array.h"
#include "core/encoder.h"
#include "loops/double_double.h"
#include "math/weighted_mean.h"
#include "time/window_state.h"

namespace pileus {

inline void encode(const DoubleDouble& sum, Bytes& out) {
  Encoder encoder(out);
  encoder.put(sum.high);
  encoder.put(sum.low);
}
inline DoubleDouble decode_double_double(std::span<const std::byte>& in) {
  Decoder decoder(in);
  const auto high = decoder.get<double>(), low = decoder.get<double>();
  in = decoder.rest();
  return {high, low};
}

/// Errors: TransportError, as of all that a checkpoint brings.
ExactWeightedMean decode_weighted_mean(std::span<const std::byte>& in);

/// An array that is all that a window has: as its state, and put together from pieces of such.
/// `lacks`: by element, 1 where it has none; empty where it has all.
WindowState state_of(const Array& array, const std::string& form,
                     const std::vector<std::uint8_t>& lacks = {});
struct PiecedArray {
  Array array;
  std::shared_ptr<std::vector<std::byte>> bytes;  ///< of the array
  std::vector<std::uint8_t> lacks;                ///< likewise, of elements in no piece too
};
/// Errors: TransportError where the pieces are of another form or of several types.
PiecedArray array_of(const Extents& extents, const std::vector<WindowPiece>& pieces, const std::string& form);

void require_form(const WindowPiece& piece, std::string_view form);
void require_whole(bool is_whole);

}  // namespace pileus
