#include "client/texts.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace pileus {
namespace {

std::string described(const ModelField& field) { return "pileus_put: field \"" + field.name + "\""; }

std::string_view without_padding(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string shape_text(std::span<const Index> counts) {
  if (counts.empty()) return "a single text";
  std::string text = "texts of ";
  for (std::size_t d = 0; d < counts.size(); ++d) text += (d > 0 ? " x " : "") + std::to_string(counts[d]);
  return text;
}

/// Bytes from the first text to text number `i`.
Index offset_of(Index i, const StridedArray& array) {
  Index offset = 0, dense = array.counts[0];
  for (std::size_t d = 1; d < array.counts.size(); ++d) {
    offset += i % array.counts[d] * (array.byte_strides.empty() ? dense : array.byte_strides[d]);
    i /= array.counts[d];
    dense *= array.counts[d];
  }
  return offset;
}

/// How many texts the field has on this rank.
std::size_t capacity(const ModelField& field) {
  return static_cast<std::size_t>(field.region.size() / field.region.count[0]);
}

void require_lengths(const ModelField& field, std::span<const std::string_view> texts) {
  const auto length = static_cast<std::size_t>(field.region.count[0]);
  for (const std::string_view text : texts) {
    if (text.size() <= length) continue;
    throw UsageError(described(field) + ": the text \"" + std::string(text) + "\" has " +
                     std::to_string(text.size()) + " bytes; it was registered with a length of " +
                     std::to_string(length));
  }
}

}  // namespace

std::vector<std::string_view> texts_of(const ModelField& field, const StridedArray& array) {
  const auto given = array.counts.subspan(std::min<std::size_t>(1, array.counts.size()));
  const auto registered = std::span<const Index>(field.region.count).subspan(1);
  if (array.counts.empty() || !std::ranges::equal(given, registered))
    throw UsageError(described(field) + " was registered as " + shape_text(registered) + ", the array is " +
                     shape_text(given));
  if (array.counts[0] < 0)
    throw UsageError(described(field) + ": the array has texts of " + std::to_string(array.counts[0]) +
                     " characters");
  if (!array.byte_strides.empty() && array.byte_strides[0] != 1 && array.counts[0] > 1)
    throw UsageError(described(field) + ": the characters of a text have to lie together");

  std::vector<std::string_view> texts;
  Index count = 1;
  for (const Index n : given) count *= n;
  const auto* first = reinterpret_cast<const char*>(array.first);
  for (Index i = 0; i < count; ++i)
    texts.push_back(
        without_padding({first + offset_of(i, array), static_cast<std::size_t>(array.counts[0])}));
  return texts;
}

void require_texts(const ModelField& field, std::span<const std::string_view> texts) {
  if (field.type != ElementType::character || is_map(field))
    throw UsageError(described(field) + (is_map(field) ? " is a map" : " was not registered for texts") +
                     "; put it with " + (is_map(field) ? "pileus_put_map" : "pileus_put"));
  if (texts.size() != capacity(field))
    throw UsageError(described(field) + " has " + std::to_string(capacity(field)) +
                     " texts on this rank, the array has " + std::to_string(texts.size()));
  require_lengths(field, texts);
}

void require_map(const ModelField& field, std::span<const std::string_view> keys_and_values) {
  if (!is_map(field)) throw UsageError(described(field) + " is no map; register it with pileus_map_field");
  if (keys_and_values.size() > capacity(field))
    throw UsageError(described(field) + " takes " + std::to_string(capacity(field) / 2) +
                     " pairs, but there are " + std::to_string(keys_and_values.size() / 2) +
                     "; give its dimension a larger size");
  require_lengths(field, keys_and_values);
}

void copy_texts(std::span<const std::string_view> texts, std::span<const Index> counts, char* to) {
  const Region all{{}, {counts.begin(), counts.end()}};
  std::fill_n(to, all.size(), '\0');
  for (const std::string_view text : texts) {
    std::ranges::copy(text, to);
    to += counts[0];
  }
}

}  // namespace pileus
