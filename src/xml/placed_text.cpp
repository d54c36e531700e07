#include "xml/placed_text.h"

#include <algorithm>

namespace pileus {

std::size_t PlacedText::begin_file(std::string text, std::string name) {
  files_.emplace_back(std::move(text), std::move(name));
  return files_.size() - 1;
}

void PlacedText::add(std::size_t file, std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  pieces_.push_back({text_.size(), file, begin});
  text_ += text_of(file).substr(begin, end - begin);
}

Location PlacedText::where(std::size_t offset) const {
  if (pieces_.empty()) return files_.empty() ? Location() : files_.front().source.where(0);
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                                     [](std::size_t at, const Piece& piece) { return at < piece.at; });
  const Piece& piece = *(next - 1);
  return files_[piece.file].source.where(piece.from + offset - piece.at);
}

}  // namespace pileus
