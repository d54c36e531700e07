#include "core/suggest.h"

#include <algorithm>
#include <vector>

namespace pileus {
namespace {

constexpr std::string_view kBefore = "; did you mean \"", kBehind = "\"?";

/// Optimal string alignment distance: insert, delete, replace or swap neighbours; letter case costs nothing.
/// Only up to `most`: where there are more edits it says some number above that, and soon.
std::size_t edits(std::string_view a, std::string_view b, std::size_t most) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
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
    // A swap goes back two rows.
    if (least > most && least_before > most) return least;
    least_before = least;
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter > best) continue;  // at least that many edits
    const std::size_t distance = edits(word, candidate, best);
    if (distance > best || (distance == longer && longer > 0)) continue;  // or nothing in common
    if (distance < best || (distance == best && !found.empty() && candidate < found)) {
      best = distance;
      found = candidate;
    }
  }
  return found;
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
