// What a server's share in files waits for, in words.

#include <algorithm>

#include "output/part_writer.h"

namespace pileus {
namespace {

/// " lacks the parts of model ranks 1, 2 and 5 more"
std::string parts_of(const std::vector<ClientRank>& ranks) {
  constexpr std::size_t kMost = 8;
  if (ranks.empty()) return "";
  std::string text =
      ranks.size() == 1 ? " lacks the part of model rank " : " lacks the parts of model ranks ";
  for (std::size_t i = 0; i < std::min(kMost, ranks.size()); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  return ranks.size() > kMost ? text + " and " + std::to_string(ranks.size() - kMost) + " more" : text;
}

}  // namespace

std::string PartWriter::lacks(FilePeriod key, const PieceParts& parts, const Piece& piece) const {
  const bool has_place = parts.placement || is_packed(piece.variable, key.file);
  std::string lacking;
  if (is_distributed(piece.variable, key.file)) {
    std::vector<ClientRank> ranks;
    for (ClientRank client = 0; client < plan_.layout.clients; ++client) {
      if (!parts.parts.contains(client) && has_part(piece, key.file, client)) ranks.push_back(client);
    }
    lacking = parts_of(ranks);
  } else if (parts.parts.empty()) {
    lacking = " lacks its value";
  }
  std::string waits = has_place ? "" : " has no place yet";
  waits += (waits.empty() || lacking.empty() ? "" : " and") + lacking;
  const PlannedFile& planned = plan_[key.file];
  return planned.name + ", period " + std::to_string(key.period) + ": record " +
         std::to_string(piece.record) + " of " + plan_[planned.variables[piece.variable]].name + waits;
}

std::vector<std::string> PartWriter::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [key, file] : open_) {
    for (const auto& [piece, parts] : file.pieces) {
      if (!parts.is_handed_over && !parts.parts.empty()) texts.push_back(lacks(key, parts, piece));
    }
    if (!file.closing) {
      texts.push_back(plan_[key.file].name + ", period " + std::to_string(key.period) + ": is not closed");
    }
  }
  return texts;
}

/// Of the writes under way, those that compress.
std::size_t PartWriter::packs_under_way(FilePeriod key, const OpenFile& file) const {
  return static_cast<std::size_t>(std::ranges::count_if(file.pieces, [&](const auto& entry) {
    const auto& [piece, parts] = entry;
    return parts.is_handed_over && !parts.is_written && is_packed(piece.variable, key.file);
  }));
}

std::vector<std::string> PartWriter::waiting_texts() const {
  std::vector<std::string> texts;
  for (const auto& [key, file] : open_) {
    const std::string name = plan_[key.file].name + ", period " + std::to_string(key.period);
    const std::size_t packing = packs_under_way(key, file), writing = file.writes_under_way - packing;
    if (packing > 0) {
      texts.push_back(name + ": " + std::to_string(packing) + (packing == 1 ? " chunk is" : " chunks are") +
                      " being compressed");
    }
    if (writing > 0) {
      texts.push_back(name + ": " + std::to_string(writing) + (writing == 1 ? " record is" : " records are") +
                      " being written to the disk");
    }
    if (file.is_syncing) {
      texts.push_back(name + ": waits for the disk to have its parts");
    }
    std::set<std::uint32_t> said;
    for (const auto& [piece, parts] : file.pieces) {
      const bool is_due = file.closing || !parts.parts.empty();
      if (parts.is_handed_over || !is_due || !said.insert(piece.variable).second) continue;
      texts.push_back(lacks(key, parts, piece));
    }
  }
  return texts;
}

}  // namespace pileus
