#include "publishing/chunks/packing.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/encoder.h"
#include "levels/block_means.h"

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

Packing::Packing(const Plan& plan, const RankRegions& regions)
    : plan_(&plan), regions_(&regions), chunks_(plan.variable_count()), slab_holders_(plan.variable_count()) {
  for (std::size_t v = 0; v < plan.variable_count(); ++v)
    layouts_.push_back(value_layout(plan, VariableId(v)));
}

Packing::Packing(const Plan& plan, const FileFormat& format, const RankRegions& regions, bool has_slabs)
    : Packing(plan, regions) {
  KnownHolders known;
  add_packed(format, known);
  if (has_slabs) add_slabs(known);
}

Packing Packing::of_slabs(const Plan& plan, const RankRegions& regions) {
  Packing slabs(plan, regions);
  KnownHolders known;
  slabs.add_slabs(known);
  return slabs;
}

void Packing::add_packed(const FileFormat& format, KnownHolders& known) {
  std::vector<Index> load(plan_->layout.servers, 0);  // elements to compress, by server
  for (std::size_t v = 0; v < plan_->variable_count(); ++v) {
    const Variable& variable = (*plan_)[VariableId(v)];
    const Compression& compression = variable.storage.compression;
    if (!compression.is_packed()) continue;
    for (Region& region : format.packed_regions(extents_in_file(VariableId(v)), variable.type, compression)) {
      if (variable.level) region = region_of_blocks(region, variable.level->lengths);
      chunks_[v].push_back({std::move(region), (*plan_)[variable.file].owner});
    }
    if ((*plan_)[variable.value].spread == Spread::distributed) spread(VariableId(v), known, load);
  }
}

void Packing::add_slabs(KnownHolders& known) {
  SlabWriters writers(plan_->layout.servers);
  for (std::size_t f = 0; f < plan_->files.size(); ++f) add_slabs(FileId(f), known, writers);
}

/// Those who write the largest variable write the others too.
void Packing::add_slabs(FileId file, KnownHolders& known, SlabWriters& writers) {
  std::vector<VariableId> variables;
  for (const VariableId id : (*plan_)[file].variables)
    if (is_in_slabs(*plan_, id)) variables.push_back(id);
  const auto element_of = [this](VariableId id) { return static_cast<Index>(size_bytes((*plan_)[id].type)); };
  const auto bytes_of = [&](VariableId id) {
    return Region{{}, extents_in_file(id)}.size() * element_of(id);
  };
  std::ranges::stable_sort(variables, std::greater(), bytes_of);
  std::vector<ServerRank> among(plan_->layout.servers);
  std::iota(among.begin(), among.end(), ServerRank{0});
  Index most = std::min((*plan_)[file].on_disk.writers, std::ssize(among));
  for (const VariableId id : variables) {
    std::vector<Region> slabs =
        slab_regions(extents_in_file(id), element_of(id), most, (*plan_)[file].on_disk.slab_bytes);
    std::vector<Chunk>& chunks = chunks_[id.index];
    for (Region& slab : slabs) chunks.push_back({std::move(slab)});
    slab_holders_[id.index] = holders_of(id, chunks.size(), known);
    take_holders(id, *slab_holders_[id.index]);
    std::vector<SlabWriters::Held> held;
    for (const Holders::OfChunk& of_slab : slab_holders_[id.index]->chunks) held.push_back(of_slab.elements);
    const std::vector<ServerRank> chosen = writers.choose(held, among, (*plan_)[file].owner);
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      chunks[k].packer = chosen[k];
      writers.add(chosen[k], chunks[k].region.size() * element_of(id));
    }
    if (id != variables.front()) continue;
    among = chosen;
    most = std::ssize(chosen);
  }
}

std::vector<Index> Packing::extents_in_file(VariableId variable) const {
  return plan_->extents_in_file((*plan_)[variable]);
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

std::shared_ptr<const Packing::Holders> Packing::holders_of(VariableId variable, std::size_t slabs,
                                                            KnownHolders& known) const {
  const Variable& planned = (*plan_)[variable];
  const Way way(regions_->column(planned.value.index), (*plan_)[planned.value].dimensions, planned.dimensions,
                planned.type, slabs,
                planned.level ? std::vector<Index>(planned.level->lengths) : std::vector<Index>());
  std::shared_ptr<const Holders>& holders = known[way];
  if (!holders) holders = std::make_shared<const Holders>(find_holders(variable));
  return holders;
}

void Packing::take_holders(VariableId variable, const Holders& holders) {
  std::vector<Chunk>& chunks = chunks_[variable.index];
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    chunks[c].part_count = std::max<std::size_t>(1, holders.chunks[c].parts);
    if (holders.chunks[c].parts == 0) chunks[c].stand_in = holders.first.value_or(0);
  }
}

void Packing::spread(VariableId variable, KnownHolders& known, std::vector<Index>& load) {
  const std::shared_ptr<const Holders> holders = holders_of(variable, 0, known);
  take_holders(variable, *holders);
  std::vector<Chunk>& chunks = chunks_[variable.index];
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    Chunk& chunk = chunks[c];
    chunk.packer = chunk.stand_in ? plan_->layout.server_of(*chunk.stand_in)
                                  : packer_of(holders->chunks[c].elements, load);
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

std::vector<PartOfSlab> Packing::parts_of_slabs(VariableId variable) const {
  std::vector<PartOfSlab> parts;
  const std::vector<Chunk>& slabs = chunks_[variable.index];
  for (std::size_t k = 0; k < slabs.size(); ++k) {
    for (const auto& [server, elements] : slab_holders_[variable.index]->chunks[k].elements)
      if (server != slabs[k].packer) parts.push_back({server, slabs[k].packer, elements});
  }
  return parts;
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
