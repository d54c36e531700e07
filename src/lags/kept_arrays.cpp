#include "lags/kept_arrays.h"

#include <cstring>
#include <memory>
#include <vector>

#include "core/error.h"
#include "time/window_state.h"

namespace pileus {
namespace {

std::string form_of(const std::string& what, ElementType type) {
  return what + " " + std::string(name(type));
}

}  // namespace

Array copy_of(const Array& array) {
  auto bytes =
      std::make_shared<std::vector<std::byte>>(array.bytes.get(), array.bytes.get() + array.size_bytes());
  return {array.type, array.extents, std::shared_ptr<const std::byte>(bytes, bytes->data())};
}

Bytes bytes_of(const Array& array, const std::string& what) {
  WindowState state;
  state.form = form_of(what, array.type);
  state.extents = array.extents;
  state.element_bytes = size_bytes(array.type);
  state.elements.assign(array.bytes.get(), array.bytes.get() + array.size_bytes());
  Bytes bytes;
  Encoder out(bytes);
  state.encode(out);
  return bytes;
}

Sample assembled(std::span<const StateEntry> entries, const std::string& what, ElementType type,
                 const Region& region) {
  const std::size_t element_bytes = size_bytes(type);
  const auto size = static_cast<std::size_t>(region.size());
  auto bytes = std::make_shared<std::vector<std::byte>>(size * element_bytes);
  std::size_t found = 0;
  for (const StateEntry& entry : entries) {
    if (entry.region.rank() != region.rank())
      throw TransportError("a " + what + " has a region of another rank");
    if (common(entry.region, region).size() == 0) continue;
    Decoder in(entry.bytes);
    const WindowState state = WindowState::decode(in);
    if (state.extents != entry.region.count)
      throw TransportError("a " + what + " has the shape of another region");
    if (state.form != form_of(what, type)) return Absent{};  // the field has another type now
    const WindowPiece piece = cut_for(state, entry.region, region);
    for_each_element(piece, region.count, [&](std::size_t place, std::span<const std::byte> element) {
      std::memcpy(bytes->data() + place * element_bytes, element.data(), element_bytes);
      ++found;
    });
  }
  if (found != size || (size == 0 && entries.empty())) return Absent{};
  return Array{type, region.count, std::shared_ptr<const std::byte>(bytes, bytes->data())};
}

}  // namespace pileus
