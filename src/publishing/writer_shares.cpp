#include "publishing/writer_shares.h"

#include <algorithm>

#include "core/error.h"
#include "files/file_layout.h"
#include "plan/held_regions.h"
#include "plan/tiling.h"

namespace pileus {
namespace {

/// The regions of a distributed variable that no model rank computes, for whatever reason. They would be read
/// without having been written.
std::vector<Region> gaps_of(const Plan& plan, VariableId id) {
  const std::vector<Region> held = regions_of_value(plan, plan[id].value);
  std::vector<const Region*> regions;
  for (const Region& region : held) regions.push_back(&region);
  return planning::gaps(regions, plan.extents(plan[id].value));
}

bool has_chunks(const Plan& plan, bool has_slabs) {
  if (!plan.levels.empty()) return true;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    if (plan.variables[v].storage.compression.is_packed()) return true;
    if (has_slabs && is_in_slabs(plan, VariableId(v))) return true;
  }
  return false;
}

}  // namespace

std::map<VariableId, std::string> texts_of_holes(const Plan& plan) {
  std::map<VariableId, std::string> texts;
  for (std::size_t v = 0; v < plan.variable_count(); ++v) {
    if (plan[plan[VariableId(v)].value].spread != Spread::distributed) continue;
    const std::vector<Region> gaps = gaps_of(plan, VariableId(v));
    if (!gaps.empty()) texts[VariableId(v)] = hole_text(plan, VariableId(v), gaps);
  }
  return texts;
}

WriterShares::WriterShares(const Plan& plan, ServerRank self, bool owners_write_all, const FileFormat& format)
    : plan_(plan),
      self_(self),
      owners_write_all_(owners_write_all),
      has_chunks_(has_chunks(plan, !owners_write_all)),
      regions_(regions_of_parts(plan)),
      holes_(texts_of_holes(plan)),
      packing_(has_chunks_ ? Packing(plan, format, regions_, !owners_write_all) : Packing()) {
  for (std::size_t f = 0; f < plan.files.size(); ++f) writers_of_.push_back(find_writers(FileId(f)));
}

bool WriterShares::is_written_here(VariableId id) const {
  const Variable& variable = plan_[id];
  const bool is_own = plan_[variable.value].spread == Spread::distributed &&
                      (!owners_write_all_ || plan_[variable.file].on_disk.is_in_parts);
  return is_own || plan_[variable.file].owner == self_;
}

bool WriterShares::has_part_here(VariableId id, std::uint32_t chunk) const {
  if (!is_dealt(id)) return is_written_here(id);
  return packing_.chunks(id)[chunk].packer == self_;
}

/// Each server writes what its model ranks hold of some variable.
bool WriterShares::has_own_pieces(FileId file) const {
  return std::ranges::any_of(plan_[file].variables, [&](VariableId variable) {
    return plan_[plan_[variable].value].spread == Spread::distributed && !is_dealt(variable);
  });
}

bool WriterShares::has_packed(FileId file) const {
  return std::ranges::any_of(plan_[file].variables, [&](VariableId variable) {
    return plan_[variable].storage.compression.is_packed();
  });
}

/// Servers that write parts of the file, compress some or hold their clients' memory until they are in it:
/// its owner, those of slabs, and all that have clients where it holds other distributed or compressed
/// variables.
std::vector<ServerRank> WriterShares::find_writers(FileId file) const {
  std::vector<ServerRank> writers;
  std::vector<bool> is_known(plan_.layout.servers, false);
  const auto add = [&](ServerRank server) {
    if (!is_known[server]) writers.push_back(server);
    is_known[server] = true;
  };
  add(plan_[file].owner);
  const bool write_all = !owners_write_all_ || plan_[file].on_disk.is_in_parts;
  if ((write_all && has_own_pieces(file)) || has_packed(file)) {
    for (ClientRank client = 0; client < plan_.layout.clients; ++client) add(plan_.layout.server_of(client));
  }
  if (has_chunks_) std::ranges::for_each(packing_.packers(file), add);
  for (const VariableId variable : plan_[file].variables) {
    const Value& value = plan_[plan_[variable].value];
    if (plan_[variable].storage.compression.is_packed() && value.spread == Spread::rooted) add(value.root);
  }
  return writers;
}

std::set<ServerRank> WriterShares::told_of_end(ClientRank client) const {
  std::set<ServerRank> servers = packing_.concerned_by(client);
  for (const Variable& variable : plan_.statics) servers.insert(plan_[variable.file].owner);
  if (owners_write_all_) {
    for (const PlannedFile& file : plan_.files) servers.insert(file.owner);
  }
  servers.erase(self_);
  return servers;
}

Share WriterShares::share(const ContinuedFiles& continued) const {
  Share share;
  share.owners_write_all = owners_write_all_;
  for (ClientRank client = 0; client < plan_.layout.clients; ++client) {
    const bool is_own = plan_.layout.server_of(client) == self_;
    if (owners_write_all_ || is_own) share.clients.push_back(client);
    if (is_own) share.own_clients.push_back(client);
  }
  for (const PlannedFile& file : plan_.files) share.is_owner.push_back(file.owner == self_);
  share.regions = &regions_;
  share.holes = filled_here();
  share.self = self_;
  share.packing = packing();
  share.begun = continued.begun;
  for (const auto& [variable, known] : continued.learned) share.learned[variable] = known.bits;
  share.compared = continued.compared;
  check_compared(share);
  for (auto& [key, chunks] : share.compared) {
    std::erase_if(chunks, [&, file = key.file](const auto& one) {
      const auto [variable, chunk] = one.first;
      const auto& of_file = plan_[file].variables;
      if (variable >= of_file.size()) return true;
      const auto& packed = packing_.chunks(of_file[variable]);
      return chunk >= packed.size() || packed[chunk].packer != self_;
    });
  }
  return share;
}

/// Without what a record is compared with, other records would be written than if the run had gone on.
void WriterShares::check_compared(const Share& share) const {
  for (const auto& [key, records] : share.begun) {
    for (std::uint32_t v = 0; v < plan_[key.file].variables.size(); ++v) {
      const VariableId id = plan_[key.file].variables[v];
      const auto& schedules = plan_[key.file].schedules;
      const auto axis = std::ranges::find(schedules, plan_[id].schedule) - schedules.begin();
      if (!plan_[id].storage.write_if || records[static_cast<std::size_t>(axis)] == 0) continue;
      const auto& chunks = packing_.chunks(id);
      const ComparedChunks& there = share.compared.at(key);
      for (std::uint32_t c = 0; c < chunks.size(); ++c) {
        const auto size = static_cast<std::size_t>(chunks[c].region.size()) * size_bytes(plan_[id].type);
        const auto one = there.find({v, c});
        if (one == there.end() || one->second.written.size() != size ||
            (!one->second.last.empty() && one->second.last.size() != size))
          throw TransportError("the checkpoint lacks what records of " + plan_[id].name + " in " +
                               plan_[key.file].name + " are compared with");
      }
    }
  }
}

std::vector<std::string> WriterShares::hole_texts() const {
  std::vector<std::string> texts;
  for (const auto& [id, text] : holes_) {
    if (plan_[plan_[id].file].owner != self_ || plan_[id].level) continue;
    texts.push_back(plan_[plan_[id].file].name + ": " + plan_[id].name + " has _FillValue in " + text +
                    ", which no model rank holds");
  }
  return texts;
}

/// The gaps that this server fills. The owner fills them where it writes all, else the server of the first
/// model rank, which writes parts of everything that is distributed. In a chunk, whoever makes it fills them.
std::map<VariableId, std::vector<Region>> WriterShares::filled_here() const {
  std::map<VariableId, std::vector<Region>> found;
  for (const auto& [id, text] : holes_) {
    const Variable& variable = plan_[id];
    const ServerRank filler = owners_write_all_ ? plan_[variable.file].owner : plan_.layout.server_of(0);
    if (!is_dealt(id) && filler != self_) continue;
    found[id] = gaps_of(plan_, id);
  }
  return found;
}

}  // namespace pileus
