#include "formats/parts.h"

#include <algorithm>

namespace pileus {

std::uint64_t PartOfFile::size_bytes() const {
  std::uint64_t bytes = 0;
  for (const PartDataset& dataset : datasets) {
    for (const PartChunk& chunk : dataset.chunks) bytes = std::max(bytes, chunk.offset + chunk.size_bytes);
  }
  return bytes;
}

std::uint64_t PartOfFile::chunk_count() const {
  std::uint64_t count = 0;
  for (const PartDataset& dataset : datasets) count += dataset.chunks.size();
  return count;
}

std::string name_in_part(const PartVariable& variable, const PartDataset& dataset) {
  return variable.name + "." + std::to_string(dataset.number);
}

}  // namespace pileus
