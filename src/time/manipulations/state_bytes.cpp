#include "time/manipulations/state_bytes.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/error.h"

namespace pileus {

ExactWeightedMean decode_weighted_mean(std::span<const std::byte>& in) {
  try {
    return ExactWeightedMean::decode(in);
  } catch (const std::invalid_argument& error) {
    throw TransportError(std::string("a window of a checkpoint is damaged: ") + error.what());
  }
}

WindowState state_of(const Array& array, const std::string& form, const std::vector<std::uint8_t>& lacks) {
  WindowState state{form + " of type " + std::string(name(array.type)), array.extents, {}, 0, {}, {}};
  Encoder(state.common).put(array.type);
  const std::size_t width = size_bytes(array.type);
  const std::span<const std::byte> bytes(array.bytes.get(), array.size_bytes());
  Bytes element(1 + width);
  for (std::size_t i = 0; i * width < bytes.size(); ++i) {
    element[0] = std::byte{lacks.empty() || lacks[i] == 0};
    std::ranges::copy(bytes.subspan(i * width, width), element.begin() + 1);
    state.add(element);
  }
  return state;
}

PiecedArray array_of(const Extents& extents, const std::vector<WindowPiece>& pieces,
                     const std::string& form) {
  PiecedArray made;
  made.array.extents = extents;
  made.array.type = Decoder(pieces.at(0).state.common).get<ElementType>();
  require_whole(is_known(made.array.type));
  const std::size_t width = size_bytes(made.array.type);
  made.bytes = std::make_shared<std::vector<std::byte>>(made.array.size_bytes());
  made.array.bytes = std::shared_ptr<const std::byte>(made.bytes, made.bytes->data());
  made.lacks.assign(static_cast<std::size_t>(made.array.size()), 1);
  for (const WindowPiece& piece : pieces) {
    require_form(piece, form + " of type " + std::string(name(made.array.type)));
    for_each_element(piece, extents, [&](std::size_t place, std::span<const std::byte> element) {
      require_whole(element.size() == 1 + width);
      std::memcpy(made.bytes->data() + place * width, element.data() + 1, width);
      made.lacks[place] = element[0] == std::byte{0};
    });
  }
  if (std::ranges::none_of(made.lacks, [](std::uint8_t lacks) { return lacks != 0; })) made.lacks.clear();
  return made;
}

void require_form(const WindowPiece& piece, std::string_view form) {
  if (piece.state.form == form) return;
  throw TransportError("a window holds \"" + std::string(form) + "\", its state in the checkpoint is \"" +
                       piece.state.form + "\"");
}

void require_whole(bool is_whole) {
  if (!is_whole) throw TransportError("an element of a window of a checkpoint is damaged");
}

}  // namespace pileus
