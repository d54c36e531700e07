#include "core/error.h"
#include "files/file_frames.h"

namespace pileus {
namespace {

constexpr std::size_t kChunkBytes = 28;

void put(Encoder& out, const PartDataset& dataset) {
  out.put(dataset.variable);
  out.put(dataset.number);
  out.put(dataset.region.start);
  out.put(dataset.region.count);
  out.put(dataset.stored);
  out.put(static_cast<std::uint64_t>(dataset.chunks.size()));
  for (const PartChunk& chunk : dataset.chunks) {
    out.put(chunk.record);
    out.put(chunk.offset);
    out.put(chunk.size_bytes);
    out.put(chunk.skipped_filters);
  }
}

bool is_possible(const PartDataset& dataset) {
  const auto& [start, count] = dataset.region;
  if (start.size() != count.size() || dataset.stored.size() != count.size()) return false;
  for (std::size_t d = 0; d < count.size(); ++d) {
    if (start[d] < 0 || count[d] < 1 || dataset.stored[d] < count[d]) return false;
  }
  Index before = -1;
  for (const PartChunk& chunk : dataset.chunks) {
    const bool ends = chunk.offset + chunk.size_bytes >= chunk.offset;
    if (chunk.record <= before || !ends || chunk.offset < kHeadOfPart) return false;
    if (chunk.size_bytes >= std::uint64_t{1} << 32U) return false;
    before = chunk.record;
  }
  return true;
}

PartDataset get_dataset(Decoder& in) {
  PartDataset dataset;
  dataset.variable = in.get<std::uint32_t>();
  dataset.number = in.get<std::uint32_t>();
  dataset.region.start = in.get_vector<Index>();
  dataset.region.count = in.get_vector<Index>();
  dataset.stored = in.get_vector<Index>();
  dataset.chunks.resize(in.get_length(kChunkBytes));
  for (PartChunk& chunk : dataset.chunks) {
    chunk.record = in.get<Index>();
    chunk.offset = in.get<std::uint64_t>();
    chunk.size_bytes = in.get<std::uint64_t>();
    chunk.skipped_filters = in.get<std::uint32_t>();
  }
  if (!is_possible(dataset)) throw TransportError("a part of a file has impossible boxes");
  return dataset;
}

}  // namespace

bool is_name_of_part(const std::string& name) {
  const std::size_t slash = name.find('/');
  return slash != name.npos && slash > 0 && slash + 1 < name.size() && name.front() != '.' &&
         name.find('/', slash + 1) == name.npos && name[slash + 1] != '.';
}

void put(Encoder& out, const PartOfFile& part) {
  out.put(static_cast<std::uint8_t>(!part.name.empty()));
  if (part.name.empty()) return;
  out.put(std::string_view(part.name));
  out.put(part.first);
  out.put(part.end);
  out.put(static_cast<std::uint64_t>(part.datasets.size()));
  for (const PartDataset& dataset : part.datasets) put(out, dataset);
}

PartOfFile get_part_of_file(Decoder& in) {
  PartOfFile part;
  if (in.get<std::uint8_t>() == 0) return part;
  part.name = in.get_text();
  part.first = in.get_vector<Index>();
  part.end = in.get_vector<Index>();
  part.datasets.resize(in.get_length(40));
  for (PartDataset& dataset : part.datasets) dataset = get_dataset(in);
  if (!is_name_of_part(part.name) || part.first.size() != part.end.size())
    throw TransportError("a part of a file has an impossible name or end");
  return part;
}

}  // namespace pileus
