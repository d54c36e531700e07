#include "formats/repeated_chunks.h"

#include <algorithm>

namespace pileus {

void RepeatedChunks::take(Index record, const PackedRecord& packed) {
  sources_.resize(packed.chunks.size());
  for (std::size_t chunk = 0; chunk < sources_.size(); ++chunk) {
    std::vector<Index>& sources = sources_[chunk];
    if (record == std::ssize(sources)) sources.push_back(record == 0 ? 0 : sources.back());
    if (!packed.chunks[chunk].is_repeated()) sources.at(static_cast<std::size_t>(record)) = record;
  }
}

std::vector<Index> RepeatedChunks::oldest() const {
  std::vector<Index> out = sources_.empty() ? std::vector<Index>() : sources_.front();
  for (const std::vector<Index>& one : sources_)
    std::ranges::transform(out, one, out.begin(), [](Index a, Index b) { return std::min(a, b); });
  return out;
}

bool RepeatedChunks::are_apart() const {
  return std::ranges::any_of(sources_,
                             [&](const std::vector<Index>& one) { return one != sources_.front(); });
}

bool RepeatedChunks::is_any_repeated() const {
  for (const std::vector<Index>& one : sources_)
    for (std::size_t record = 0; record < one.size(); ++record)
      if (one[record] != static_cast<Index>(record)) return true;
  return false;
}

}  // namespace pileus
