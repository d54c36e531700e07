#include "expression/written_places.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace pileus::planning {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A piece of an attribute as it is written, and how much of the value it became.
struct WrittenPiece {
  std::size_t written = 1;
  std::string value = {};
};

/// A character by its number, "&#43;" or "&#x2B;"; without a value where `text` begins with none of ASCII.
WrittenPiece numbered_piece(std::string_view text) {
  if (!text.starts_with("&#")) return {};
  const std::size_t end = std::min(text.find(';'), text.size());
  const bool is_hex = text.substr(2).starts_with('x');
  const char* const first = text.data() + (is_hex ? 3 : 2);
  unsigned number = 0;
  const auto [stop, problem] = std::from_chars(first, text.data() + end, number, is_hex ? 16 : 10);
  if (problem != std::errc() || end == text.size() || stop != text.data() + end || number >= 128) return {};
  return {end + 1, std::string(1, static_cast<char>(number))};
}

/// The piece that `text` begins with: an entity, a line end or a single character.
WrittenPiece character_piece(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEntities = {
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&apos;", "'"}}};
  for (const auto& [written, value] : kEntities) {
    if (text.starts_with(written)) return {written.size(), std::string(value)};
  }
  if (WrittenPiece piece = numbered_piece(text); !piece.value.empty()) return piece;
  if (text.starts_with("\r\n")) return {2, "\n"};
  return {1, std::string(text.substr(0, 1))};
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Likewise, or a whole {option} or {option:default}, but where `value`, which it became, kept it as it is.
WrittenPiece first_piece(const Config& config, std::string_view text, std::string_view value) {
  const std::size_t close = text.front() == '{' ? text.find('}') : std::string_view::npos;
  if (close == std::string_view::npos || value.starts_with(text.substr(0, close + 1)))
    return character_piece(text);
  const std::string_view inner = text.substr(1, close - 1);
  const std::size_t colon = std::min(inner.find(':'), inner.size());
  const auto option = config.options.find(std::string(without_blanks(inner.substr(0, colon))));
  if (option != config.options.end()) return {close + 1, option->second};
  if (colon == inner.size()) return character_piece(text);
  std::string otherwise;
  for (std::string_view rest = without_blanks(inner.substr(colon + 1)); !rest.empty();) {
    const WrittenPiece piece = character_piece(rest);
    otherwise += piece.value;
    rest.remove_prefix(piece.written);
  }
  return {close + 1, otherwise};
}

bool is_alike(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return x == y || (is_space(x) && is_space(y)); });
}

/// How much of `value` the piece became; none if it does not begin with that. An option is one operand of an
/// expression, in parentheses.
std::optional<std::size_t> size_in(std::string_view value, const WrittenPiece& piece) {
  const std::size_t size = piece.value.size();
  if (is_alike(piece.value, value.substr(0, size))) return size;
  const bool is_operand = value.size() > size + 1 && value.front() == '(' && value[size + 1] == ')';
  return is_operand && is_alike(piece.value, value.substr(1, size)) ? std::optional(size + 2) : std::nullopt;
}

}  // namespace

std::size_t WrittenPlaces::begin_of(const std::string& text, int line) {
  std::vector<std::size_t>& begins = begins_[&text];
  if (begins.empty()) {
    begins.push_back(0);
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
      begins.push_back(end + 1);
  }
  return line >= 1 && static_cast<std::size_t>(line) <= begins.size()
             ? begins[static_cast<std::size_t>(line) - 1]
             : std::string::npos;
}

void WrittenPlaces::follow(const Config& config, const Text& text) {
  followed_ = text.where;
  value_ = text.value;
  places_.clear();
  const std::string& source = config.text_of(text.where.file);
  std::size_t at = begin_of(source, text.where.line);
  if (at == std::string::npos || text.where.column < 1) return;
  at += static_cast<std::size_t>(text.where.column) - 1;

  Place place{text.where.line, text.where.column};
  const std::string_view value = text.value;
  while (places_.size() < value.size()) {
    if (at >= source.size()) return;
    const std::string_view rest = value.substr(places_.size());
    const WrittenPiece piece = first_piece(config, std::string_view(source).substr(at), rest);
    const std::optional<std::size_t> size = size_in(rest, piece);
    if (!size) return;
    places_.insert(places_.end(), *size, place);
    for (std::size_t i = 0; i < piece.written; ++i, ++at) {
      place.column = source[at] == '\n' ? 1 : place.column + 1;
      if (source[at] == '\n') ++place.line;
    }
  }
  places_.push_back(place);
}

Location WrittenPlaces::inside(const Config& config, const Text& text, std::size_t offset) {
  if (!text.is_given()) return text.where;
  if (!(text.where == followed_) || text.value != value_) follow(config, text);
  // Behind its end is its end.
  const bool is_whole = places_.size() > value_.size();
  if (is_whole) offset = std::min(offset, value_.size());
  if (offset >= places_.size()) return text.where;
  return {text.where.file, places_[offset].line, places_[offset].column};
}

Location inside(const Config& config, const Text& text, std::size_t offset) {
  return WrittenPlaces().inside(config, text, offset);
}

}  // namespace pileus::planning
