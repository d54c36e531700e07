// What a server's share in files waits for, in words.

#include <algorithm>
#include <cstdio>

#include "plan/fields_behind.h"
#include "publishing/parts/part_writer.h"

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

std::string seconds(double time_s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", time_s);
  return text;
}

std::string name_of(const Plan& plan, FilePeriod key) {
  return plan[key.file].name + ", period " + std::to_string(key.period);
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
  const Variable& variable = plan_[plan_[key.file].variables[piece.variable]];
  const std::string fields = lacking.empty() ? "" : fields_behind(plan_, {variable.value});
  // Where it is the field itself, its name says so.
  const std::string made_of = fields.empty() || fields == variable.name ? "" : ", made of " + fields;
  const std::string time =
      parts.parts.empty() ? "" : " at " + seconds(parts.parts.begin()->second.mark.end_s) + " s";
  return name_of(plan_, key) + ": record " + std::to_string(piece.record) + " of " + variable.name + time +
         waits + made_of;
}

std::vector<std::string> PartWriter::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [key, file] : open_) {
    for (const auto& [piece, parts] : file.pieces) {
      if (!parts.is_handed_over && !parts.parts.empty()) texts.push_back(lacks(key, parts, piece));
    }
    if (!file.closing) {
      texts.push_back(name_of(plan_, key) + ": is not closed");
    }
  }
  return texts;
}

std::vector<Wait> PartWriter::waits() const {
  std::vector<Wait> waits;
  for (const auto& [key, file] : open_) {
    add_waits_for_disk(key, file, waits);
    add_waits_for_parts(key, file, waits);
  }
  return waits;
}

void PartWriter::add_waits_for_disk(FilePeriod key, const OpenFile& file, std::vector<Wait>& waits) const {
  const std::string name = name_of(plan_, key);
  std::set<Index> packed, written;
  std::size_t packing = 0;
  for (const auto& [piece, parts] : file.pieces) {
    if (!parts.is_handed_over || parts.is_written) continue;
    const bool is_packing = is_packed(piece.variable, key.file);
    (is_packing ? packed : written).insert(piece.record);
    packing += is_packing ? 1 : 0;
  }
  const std::size_t writing = file.writes_under_way - std::min(packing, file.writes_under_way);
  if (packing > 0) {
    waits.push_back({name + ", compressing",
                     {packed.begin(), packed.end()},
                     name + ": " + std::to_string(packing) + (packing == 1 ? " chunk is" : " chunks are") +
                         " being compressed"});
  }
  if (writing > 0) {
    waits.push_back({name + ", writing",
                     {written.begin(), written.end()},
                     name + ": " + std::to_string(writing) + (writing == 1 ? " record is" : " records are") +
                         " being written to the disk"});
  }
  if (file.is_syncing)
    waits.push_back({name + ", syncing", {0}, name + ": waits for the disk to have its parts"});
}

void PartWriter::add_waits_for_parts(FilePeriod key, const OpenFile& file, std::vector<Wait>& waits) const {
  std::map<std::uint32_t, Wait> by_variable;
  for (const auto& [piece, parts] : file.pieces) {
    const bool is_due = file.closing || !parts.parts.empty();
    if (parts.is_handed_over || !is_due) continue;
    Wait& wait = by_variable[piece.variable];
    if (wait.numbers.empty()) {
      const Variable& variable = plan_[plan_[key.file].variables[piece.variable]];
      wait = {name_of(plan_, key) + ", " + variable.name, {}, lacks(key, parts, piece)};
    }
    if (wait.numbers.empty() || wait.numbers.back() != piece.record) wait.numbers.push_back(piece.record);
  }
  for (auto& [variable, wait] : by_variable) waits.push_back(std::move(wait));
}

}  // namespace pileus
