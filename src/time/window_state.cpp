#include "time/window_state.h"

#include <algorithm>

namespace pileus {
namespace {

/// The offsets at which the elements begin, and the one at which the last one ends.
std::vector<std::uint64_t> places_of(const WindowState& state) {
  const auto size = static_cast<std::size_t>(Region{{}, state.extents}.size());
  std::vector<std::uint64_t> places(size + 1, 0);
  for (std::size_t i = 0; i < size; ++i)
    places[i + 1] = places[i] + (state.lengths.empty() ? state.element_bytes : state.lengths[i]);
  return places;
}

Region shifted(Region region, const Region& from) {
  for (std::size_t d = 0; d < region.start.size(); ++d) region.start[d] -= from.start[d];
  return region;
}

void require(bool is_right) {
  if (!is_right) throw TransportError("a window of a checkpoint is damaged");
}

}  // namespace

void WindowState::add(std::span<const std::byte> element) {
  if (elements.empty()) element_bytes = element.size();
  if (lengths.empty() && element.size() != element_bytes)
    lengths.assign(elements.size() / element_bytes, element_bytes);
  if (!lengths.empty()) lengths.push_back(element.size());
  elements.insert(elements.end(), element.begin(), element.end());
}

void WindowState::encode(Encoder& out) const {
  out.put(std::string_view(form));
  out.put(extents);
  out.put(static_cast<std::uint64_t>(common.size()));
  out.put_raw(common);
  out.put(element_bytes);
  out.put(lengths);
  out.put(static_cast<std::uint64_t>(elements.size()));
  out.put_raw(elements);
}

WindowState WindowState::decode(Decoder& in) {
  WindowState state;
  state.form = in.get_text();
  state.extents = in.get_extents();
  const auto common = in.get_raw(in.get_length(1));
  state.common.assign(common.begin(), common.end());
  state.element_bytes = in.get<std::uint64_t>();
  state.lengths = in.get_vector<std::uint64_t>();
  const auto elements = in.get_raw(in.get_length(1));
  state.elements.assign(elements.begin(), elements.end());

  std::uint64_t size = 1;
  for (Index n : state.extents) {
    require(n >= 0 && (n == 0 || size <= elements.size() / static_cast<std::uint64_t>(n)));
    size *= static_cast<std::uint64_t>(n);
  }
  if (state.lengths.empty()) {
    require(size == 0 ? elements.empty()
                      : elements.size() % size == 0 && state.element_bytes == elements.size() / size);
  } else {
    require(state.lengths.size() == size);
    std::uint64_t sum = 0;
    for (std::uint64_t length : state.lengths) {
      require(length <= elements.size() - sum);
      sum += length;
    }
    require(sum == elements.size());
  }
  return state;
}

WindowPiece cut_for(const WindowState& state, const Region& from, const Region& to) {
  const Region shared = common(from, to);
  WindowPiece piece{shifted(shared, to),
                    {state.form, shared.count, state.common, state.element_bytes, {}, {}}};
  const std::vector<std::uint64_t> places = places_of(state);
  for (const Stretch& stretch : contiguous_stretches(shifted(shared, from), state.extents)) {
    const auto first = static_cast<std::size_t>(stretch.global_offset);
    const auto end = first + static_cast<std::size_t>(stretch.length);
    if (!state.lengths.empty()) {
      piece.state.lengths.insert(piece.state.lengths.end(), state.lengths.begin() + static_cast<long>(first),
                                 state.lengths.begin() + static_cast<long>(end));
    }
    piece.state.elements.insert(piece.state.elements.end(),
                                state.elements.begin() + static_cast<long>(places[first]),
                                state.elements.begin() + static_cast<long>(places[end]));
  }
  return piece;
}

void for_each_element(const WindowPiece& piece, const Extents& extents,
                      const std::function<void(std::size_t place, std::span<const std::byte>)>& take) {
  const std::vector<std::uint64_t> places = places_of(piece.state);
  const std::span<const std::byte> bytes(piece.state.elements);
  for (const Stretch& stretch : contiguous_stretches(piece.region, extents)) {
    for (Index i = 0; i < stretch.length; ++i) {
      const auto from = static_cast<std::size_t>(stretch.local_offset + i);
      take(static_cast<std::size_t>(stretch.global_offset + i),
           bytes.subspan(places[from], places[from + 1] - places[from]));
    }
  }
}

}  // namespace pileus
