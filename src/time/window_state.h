#pragma once
// A window's state holds what the window has taken so far, element by element, as bytes, so that the windows
// of another decomposition can be put together from the parts of these (architecture D8). Knows nothing of
// manipulations.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/array.h"
#include "core/encoder.h"
#include "core/region.h"

namespace pileus {

/// REQUIRES: as many elements as the extents say.
struct WindowState {
  std::string form;                    ///< what the bytes mean; no window reads those of another form
  Extents extents;                     ///< fastest first
  Bytes common;                        ///< what holds for all elements
  std::uint64_t element_bytes = 0;     ///< of each element, where all have as many
  std::vector<std::uint64_t> lengths;  ///< of each element's bytes otherwise; else empty
  Bytes elements;                      ///< in the order of memory

  /// The bytes of one more element. REQUIRES: there are some; elements come in the order of memory.
  void add(std::span<const std::byte> element);

  void encode(Encoder& out) const;
  /// Errors: TransportError when the bytes are not those of encode.
  static WindowState decode(Decoder& in);
};

/// A part of a window's elements. `region` counts from the window's own first element.
struct WindowPiece {
  Region region;
  WindowState state;
};

/// The elements of `state`, which is that of region `from`, that lie in `to`; their place counts from the
/// first element of `to`. REQUIRES: both have something in common.
WindowPiece cut_for(const WindowState& state, const Region& from, const Region& to);

/// Calls take(place, bytes) for each element, where place counts in a dense array of `extents`.
void for_each_element(const WindowPiece& piece, const Extents& extents,
                      const std::function<void(std::size_t place, std::span<const std::byte>)>& take);

}  // namespace pileus
