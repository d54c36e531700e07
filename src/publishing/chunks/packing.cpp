#include "publishing/chunks/packing.h"

#include <algorithm>

#include "core/encoder.h"

namespace pileus {
namespace {

/// Many regions and chunks ask for it, so it makes no region in between.
Index common_size(const Region& a, const Region& b) {
  Index size = 1;
  for (std::size_t d = 0; d < a.count.size(); ++d) {
    const Index start = std::max(a.start[d], b.start[d]);
    const Index end = std::min(a.start[d] + a.count[d], b.start[d] + b.count[d]);
    if (end <= start) return 0;
    size *= end - start;
  }
  return size;
}

/// Takes the server with the least to compress so far among those that hold at least half as much of the
/// chunk as the one that holds most. If it were always the one that holds most, one server would compress
/// most of what is divided evenly.
ServerRank packer_of(const std::map<ServerRank, Index>& held, const std::vector<Index>& load) {
  const auto by_elements = [](const auto& a, const auto& b) { return a.second < b.second; };
  const Index most = std::ranges::max_element(held, by_elements)->second;
  std::optional<ServerRank> best;
  for (const auto& [server, elements] : held) {
    const bool holds_much = elements >= most - elements;
    if (holds_much && (!best || load[server] < load[*best])) best = server;
  }
  return *best;
}

/// `region`: what the model rank holds of the variable, in the order of the file.
bool has_part_of(const Packing::Chunk& chunk, ClientRank client, const Region& region) {
  return chunk.stand_in ? client == *chunk.stand_in : common_size(region, chunk.region) > 0;
}

}  // namespace

Packing::Packing(const Plan& plan, const FileFormat& format, const RankRegions& regions)
    : plan_(&plan), regions_(&regions), chunks_(plan.variables.size()) {
  std::vector<Index> load(plan.layout.servers, 0);  // elements to compress, by server
  KnownHolders known;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    const Variable& variable = plan.variables[v];
    layouts_.push_back(value_layout(plan, VariableId(v)));
    if (!variable.storage.compression.is_packed()) continue;
    std::vector<Index> extents;
    for (DimensionId dimension : variable.dimensions) extents.push_back(plan[dimension].size);
    for (Region& region : format.packed_regions(extents, variable.type, variable.storage.compression)) {
      chunks_[v].push_back({std::move(region), plan[variable.file].owner});
    }
    if (plan[variable.value].spread == Spread::distributed) spread(VariableId(v), known, load);
  }
}

Region Packing::in_file_of(VariableId variable, ClientRank client) const {
  return in_file((*regions_)[client][(*plan_)[variable].value.index], layouts_[variable.index]);
}

Packing::Holders Packing::find_holders(VariableId variable) const {
  const std::vector<Chunk>& chunks = chunks_[variable.index];
  Holders holders{std::vector<Holders::OfChunk>(chunks.size()), {}};
  for (ClientRank client = 0; client < plan_->layout.clients; ++client) {
    const Region region = in_file_of(variable, client);
    if (region.size() == 0) continue;
    if (!holders.first) holders.first = client;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      const Index size = common_size(region, chunks[c].region);
      if (size == 0) continue;
      holders.chunks[c].elements[plan_->layout.server_of(client)] += size;
      ++holders.chunks[c].parts;
    }
  }
  return holders;
}

void Packing::spread(VariableId variable, KnownHolders& known, std::vector<Index>& load) {
  const Variable& planned = (*plan_)[variable];
  const Way way(regions_->column(planned.value.index), (*plan_)[planned.value].dimensions, planned.dimensions,
                planned.type);
  if (!known.contains(way)) known.emplace(way, find_holders(variable));
  const Holders& holders = known.at(way);
  std::vector<Chunk>& chunks = chunks_[variable.index];
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    Chunk& chunk = chunks[c];
    if (holders.chunks[c].parts == 0) {
      chunk.stand_in = holders.first.value_or(0);
      chunk.part_count = 1;
      chunk.packer = plan_->layout.server_of(*chunk.stand_in);
    } else {
      chunk.part_count = holders.chunks[c].parts;
      chunk.packer = packer_of(holders.chunks[c].elements, load);
    }
    load[chunk.packer] += chunk.region.size();
  }
}

bool Packing::has_part(VariableId variable, std::uint32_t chunk, ClientRank client) const {
  if ((*plan_)[(*plan_)[variable].value].spread != Spread::distributed) return true;
  return has_part_of(chunks_[variable.index][chunk], client, in_file_of(variable, client));
}

std::vector<std::uint32_t> Packing::chunks_with(VariableId variable, ClientRank client) const {
  const bool is_distributed = (*plan_)[(*plan_)[variable].value].spread == Spread::distributed;
  const Region region = is_distributed ? in_file_of(variable, client) : Region{};
  const std::vector<Chunk>& all = chunks(variable);
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t c = 0; c < all.size(); ++c) {
    if (!is_distributed || has_part_of(all[c], client, region)) numbers.push_back(c);
  }
  return numbers;
}

std::set<ServerRank> Packing::concerned_by(ClientRank client) const {
  std::set<ServerRank> servers;
  for (std::size_t v = 0; v < chunks_.size(); ++v) {
    const VariableId variable(v);
    if (chunks_[v].empty()) continue;
    for (const std::uint32_t chunk : chunks_with(variable, client)) servers.insert(chunks_[v][chunk].packer);
    servers.insert((*plan_)[(*plan_)[variable].file].owner);
  }
  return servers;
}

std::set<ServerRank> Packing::packers(FileId file) const {
  std::set<ServerRank> packers;
  for (VariableId variable : (*plan_)[file].variables) {
    for (const Chunk& chunk : chunks(variable)) packers.insert(chunk.packer);
  }
  return packers;
}

Record slice_for_chunk(const Record& part, const ValueLayout& layout, const Region& chunk) {
  Record cut{
      part.variable, part.mark, in_memory(common(in_file(part.region, layout), chunk), layout), {}, {}};
  if (!part.value) return cut;
  const std::size_t element = size_bytes(part.value->type);
  auto bytes = std::make_shared<Bytes>(static_cast<std::size_t>(cut.region.size()) * element);
  convert(part, {part.value->type}, cut.region, *bytes);  // as it is in memory
  const std::byte* first = bytes->data();
  cut.value = Array{part.value->type, cut.region.count, std::shared_ptr<const std::byte>(bytes, first)};
  return cut;
}

}  // namespace pileus
