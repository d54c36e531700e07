#include "core/suggest.h"

#include <algorithm>
#include <vector>

namespace pileus {
namespace {

constexpr std::string_view kBefore = "; did you mean \"", kBehind = "\"?";

/// Longer words are never compared, as nobody mistypes them for a known one.
constexpr std::size_t kLongest = 256;
constexpr std::size_t kPlaces = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::size_t index_of(char c) { return static_cast<unsigned char>(lower(c)); }

/// Optimal string alignment distance: one edit inserts, deletes, replaces or swaps neighbours, and letter
/// case costs nothing. It counts up to `most` only; beyond that it soon returns some larger number.
std::size_t edits_by_rows(std::string_view a, std::string_view b, std::size_t most) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  std::size_t least_before = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    // A swap looks back two rows.
    if (least > most && least_before > most) return least;
    least_before = least;
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// The same distance, computed one column of the table in a step; bit i stands for the word's character i.
/// After Hyyro (2003), "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", whose
/// names are used here: where the table rises or falls by one from row to row (v) and from column to column
/// (h), and where its diagonals do not rise (d0). REQUIRES: 1 <= size <= 64.
std::size_t edits_by_columns(const std::array<std::uint64_t, 256>& places, std::size_t size,
                             std::string_view candidate) {
  std::uint64_t v_rises = ~std::uint64_t{0}, v_falls = 0, d0 = 0, matches_before = 0;
  const std::size_t last = size - 1;
  std::size_t distance = size;
  for (const char c : candidate) {
    const std::uint64_t matches = places[index_of(c)];
    const std::uint64_t swapped = ((~d0 & matches) << 1) & matches_before;
    d0 = (((matches & v_rises) + v_rises) ^ v_rises) | matches | v_falls | swapped;
    std::uint64_t h_rises = v_falls | ~(d0 | v_rises);
    std::uint64_t h_falls = d0 & v_rises;
    distance += (h_rises >> last) & 1;
    distance -= (h_falls >> last) & 1;
    h_rises = (h_rises << 1) | 1;
    h_falls <<= 1;
    v_rises = h_falls | ~(d0 | h_rises);
    v_falls = h_rises & d0;
    matches_before = matches;
  }
  return distance;
}

}  // namespace

NearestWord::NearestWord(std::string_view word)
    : word_(word), best_(std::max<std::size_t>(1, word.size() / 3) + 1) {
  if (word.size() > kPlaces) return;
  for (std::size_t i = 0; i < word.size(); ++i) places_[index_of(word[i])] |= std::uint64_t{1} << i;
}

std::size_t NearestWord::edits_to(std::string_view candidate) {
  if (word_.empty()) return candidate.size();
  if (word_.size() <= kPlaces) {
    steps_ += candidate.size();
    return edits_by_columns(places_, word_.size(), candidate);
  }
  steps_ += word_.size() * candidate.size();
  return edits_by_rows(word_, candidate, best_);
}

void NearestWord::offer(std::string_view candidate) {
  ++steps_;
  if (word_.size() > kLongest || candidate.size() > kLongest) return;
  const std::size_t longer = std::max(word_.size(), candidate.size());
  const std::size_t shorter = std::min(word_.size(), candidate.size());
  if (longer - shorter > best_) return;  // the distance is at least this difference
  const std::size_t distance = edits_to(candidate);
  if (distance > best_ || (distance == longer && longer > 0)) return;  // the words have nothing in common
  if (distance < best_ || (distance == best_ && !found_.empty() && candidate < found_)) {
    best_ = distance;
    found_ = candidate;
  }
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  NearestWord nearest(word);
  for (const std::string& candidate : candidates) nearest.offer(candidate);
  return nearest.found();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  return did_you_mean(nearest(word, candidates));
}

std::string did_you_mean(std::string_view meant) {
  return meant.empty() ? "" : std::string(kBefore) + std::string(meant) + std::string(kBehind);
}

std::string suggested_in(std::string_view message) {
  const std::size_t begin = message.rfind(kBefore);
  if (begin == message.npos) return "";
  const std::size_t word = begin + kBefore.size();
  const std::size_t end = message.find(kBehind, word);
  return std::string(message.substr(word, std::min(end, message.size()) - word));
}

}  // namespace pileus
