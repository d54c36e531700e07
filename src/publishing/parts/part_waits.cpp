#include "publishing/parts/part_waits.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "plan/fields_behind.h"

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

std::string lacks(const Plan& plan, const OwnPieces& own, FilePeriod key, const OpenParts& file,
                  const PieceParts& parts, const Piece& piece) {
  const bool has_place = !own.needs_place(key.file, piece.variable) || file.places.has(piece);
  std::string lacking;
  if (own.is_distributed(key.file, piece.variable)) {
    std::vector<ClientRank> ranks;
    for (ClientRank client = 0; client < plan.layout.clients; ++client) {
      if (!parts.has(client) && own.has_part(key.file, piece, client)) ranks.push_back(client);
    }
    lacking = parts_of(ranks);
  } else if (parts.parts.empty()) {
    lacking = " lacks its value";
  }
  std::string waits = has_place ? "" : " has no place yet";
  waits += (waits.empty() || lacking.empty() ? "" : " and") + lacking;
  const Variable& variable = plan[plan[key.file].variables[piece.variable]];
  const std::string fields = lacking.empty() ? "" : fields_behind(plan, {variable.value});
  // Where it is the field itself, its name says so.
  const std::string made_of = fields.empty() || fields == variable.name ? "" : ", made of " + fields;
  const std::string time = parts.parts.empty() ? "" : " at " + seconds(parts.parts.front().mark.end_s) + " s";
  return name_of(plan, key) + ": record " + std::to_string(piece.record) + " of " + variable.name + time +
         waits + made_of;
}

void add_waits_for_disk(const Plan& plan, const OwnPieces& own, FilePeriod key, const OpenParts& file,
                        std::vector<Wait>& waits) {
  const std::string name = name_of(plan, key);
  std::set<Index> packed, written;
  std::size_t packing = 0;
  file.pieces.for_each([&](const Piece& piece, const PieceParts& parts) {
    if (!parts.is_handed_over) return;
    const bool is_packing = own.is_packed(key.file, piece.variable);
    (is_packing ? packed : written).insert(piece.record);
    packing += is_packing ? 1 : 0;
  });
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

/// Of a file that is closed, also pieces of which nothing has come; not more than make one text.
void add_all_open(const OwnPieces& own, FilePeriod key, const OpenParts& file, const auto& add) {
  constexpr Index kMost = 64;
  static const PieceParts nothing;
  for (std::uint32_t v = 0; v < own.variables(key.file); ++v) {
    const Index end = file.closing->records[own.axis_of(key.file, v)];
    Index found = 0;
    for (Index record = file.pieces.first_open(v); record < end && found < kMost; ++record) {
      for (std::uint32_t chunk : own.chunks_here(key.file, v)) {
        const Piece piece{v, record, chunk};
        const PieceParts* const parts = file.pieces.find(piece);
        if (file.pieces.is_written(piece) || (parts && parts->is_handed_over)) continue;
        add(piece, parts ? *parts : nothing);
        ++found;
      }
    }
  }
}

void add_waits_for_parts(const Plan& plan, const OwnPieces& own, FilePeriod key, const OpenParts& file,
                         std::vector<Wait>& waits) {
  std::map<std::uint32_t, Wait> by_variable;
  const auto add = [&](const Piece& piece, const PieceParts& parts) {
    Wait& wait = by_variable[piece.variable];
    if (wait.numbers.empty()) {
      const Variable& variable = plan[plan[key.file].variables[piece.variable]];
      wait = {name_of(plan, key) + ", " + variable.name, {}, lacks(plan, own, key, file, parts, piece)};
    }
    if (wait.numbers.empty() || wait.numbers.back() != piece.record) wait.numbers.push_back(piece.record);
  };
  if (file.closing) {
    add_all_open(own, key, file, add);
  } else {
    file.pieces.for_each([&](const Piece& piece, const PieceParts& parts) {
      if (!parts.is_handed_over && !parts.parts.empty()) add(piece, parts);
    });
  }
  for (auto& [variable, wait] : by_variable) waits.push_back(std::move(wait));
}

}  // namespace

std::vector<std::string> open_texts_of(const Plan& plan, const OwnPieces& own,
                                       const std::map<FilePeriod, OpenParts>& open) {
  std::vector<std::string> texts;
  for (const auto& [key, file] : open) {
    file.pieces.for_each([&](const Piece& piece, const PieceParts& parts) {
      if (!parts.is_handed_over && !parts.parts.empty())
        texts.push_back(lacks(plan, own, key, file, parts, piece));
    });
    if (!file.closing) {
      texts.push_back(name_of(plan, key) + ": is not closed");
    }
  }
  return texts;
}

std::vector<Wait> waits_of(const Plan& plan, const OwnPieces& own,
                           const std::map<FilePeriod, OpenParts>& open) {
  std::vector<Wait> waits;
  for (const auto& [key, file] : open) {
    add_waits_for_disk(plan, own, key, file, waits);
    add_waits_for_parts(plan, own, key, file, waits);
  }
  return waits;
}

}  // namespace pileus
