#include "publishing/parts/own_pieces.h"

#include <algorithm>
#include <utility>

namespace pileus {

OwnPieces::OwnPieces(const Plan& plan, Share share)
    : plan_(plan), share_(std::move(share)), indices_(plan.variable_count()), axes_(plan.variable_count()) {
  for (const PlannedFile& file : plan.files) {
    for (std::uint32_t v = 0; v < file.variables.size(); ++v) {
      const VariableId id = file.variables[v];
      indices_[id.index] = v;
      const auto axis = std::ranges::find(file.schedules, plan[id].schedule) - file.schedules.begin();
      axes_[id.index] = static_cast<std::size_t>(axis);
    }
  }
  for (std::size_t v = 0; v < plan.variable_count(); ++v) {
    layouts_.push_back(value_layout(plan, VariableId(v)));
    chunks_here_.push_back(find_chunks(VariableId(v)));
  }
}

std::vector<std::uint32_t> OwnPieces::find_chunks(VariableId id) const {
  const FileId file = plan_[id].file;
  const std::uint32_t variable = index_of(id);
  std::vector<std::uint32_t> here;
  if (!is_cut(file, variable)) {
    if (parts_expected(file, variable) > 0) here.push_back(0);
    return here;
  }
  const auto& chunks = share_.packing->chunks(id);
  for (std::uint32_t chunk = 0; chunk < chunks.size(); ++chunk) {
    if (chunks[chunk].packer == share_.self) here.push_back(chunk);
  }
  return here;
}

bool OwnPieces::is_distributed(FileId file, std::uint32_t variable) const {
  return plan_[plan_[id(file, variable)].value].spread == Spread::distributed;
}

bool OwnPieces::is_packed(FileId file, std::uint32_t variable) const {
  return plan_[id(file, variable)].storage.compression.is_packed();
}

bool OwnPieces::is_cut(FileId file, std::uint32_t variable) const {
  return share_.packing && !share_.packing->chunks(id(file, variable)).empty();
}

bool OwnPieces::is_in_parts(FileId file, std::uint32_t variable) const {
  return plan_[file].on_disk.is_in_parts && is_distributed(file, variable);
}

const std::vector<std::uint32_t>& OwnPieces::chunks_here(FileId file, std::uint32_t variable) const {
  return chunks_here_[id(file, variable).index];
}

std::size_t OwnPieces::parts_expected(FileId file, std::uint32_t variable, std::uint32_t chunk) const {
  if (is_cut(file, variable)) {
    const auto& found = share_.packing->chunks(id(file, variable))[chunk];
    return found.packer == share_.self ? found.part_count : 0;
  }
  const bool is_owner = share_.is_owner[file.index];
  if (!is_distributed(file, variable)) return is_owner ? 1 : 0;
  const bool writes_parts = plan_[file].on_disk.is_in_parts;
  return writes_parts || is_owner || !share_.owners_write_all ? clients(file).size() : 0;
}

const std::vector<ClientRank>& OwnPieces::clients(FileId file) const {
  const bool has_own = share_.owners_write_all && plan_[file].on_disk.is_in_parts;
  return has_own ? share_.own_clients : share_.clients;
}

bool OwnPieces::has_part(FileId file, const Piece& piece, ClientRank client) const {
  if (is_cut(file, piece.variable))
    return share_.packing->has_part(id(file, piece.variable), piece.chunk, client);
  return std::ranges::binary_search(clients(file), client);
}

bool OwnPieces::is_named_by(FileId file, const Piece& piece, ClientRank client) const {
  if (plan_[id(file, piece.variable)].level) return false;  // what it is made of names the same
  for (std::uint32_t chunk = 0; chunk < piece.chunk; ++chunk) {
    if (has_part(file, {piece.variable, piece.record, chunk}, client)) return false;
  }
  return true;
}

Region OwnPieces::region_of(VariableId variable, ClientRank client) const {
  return (*share_.regions)[client][plan_[variable].value.index];
}

std::vector<Region> OwnPieces::holes(VariableId variable) const {
  const auto found = share_.holes.find(variable);
  return found == share_.holes.end() ? std::vector<Region>() : found->second;
}

const Region& OwnPieces::chunk_region(FileId file, const Piece& piece) const {
  return share_.packing->chunks(id(file, piece.variable))[piece.chunk].region;
}

const ComparedChunk* OwnPieces::compared(FilePeriod file, std::uint32_t variable, std::uint32_t chunk) const {
  const auto found = share_.compared.find(file);
  if (found == share_.compared.end()) return nullptr;
  const auto one = found->second.find({variable, chunk});
  return one == found->second.end() ? nullptr : &one->second;
}

Index OwnPieces::begun(FilePeriod file, std::size_t axis) const {
  const auto found = share_.begun.find(file);
  return found == share_.begun.end() ? 0 : found->second[axis];
}

Index OwnPieces::count_below(FilePeriod file, const std::vector<Index>& records) const {
  Index count = 0;
  for (std::uint32_t v = 0; v < plan_[file.file].variables.size(); ++v) {
    const std::size_t axis = axis_of(file.file, v);
    count += std::max<Index>(0, records[axis] - begun(file, axis)) * std::ssize(chunks_here(file.file, v));
  }
  return count;
}

}  // namespace pileus
