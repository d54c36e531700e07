#include "publishing/owner/static_parts.h"

#include <algorithm>
#include <cstring>

#include "files/value_layout.h"

namespace pileus {
namespace {

std::vector<Index> extents_in_file(const Plan& plan, const Variable& variable) {
  std::vector<Index> extents;
  for (DimensionId dimension : variable.dimensions) extents.push_back(plan[dimension].size);
  return extents;
}

/// A text of everything that has to be the same, so that the bytes are those of this run too.
std::string form_of(const Plan& plan, const Variable& variable) {
  std::string text = variable.definition + " " + std::string(name(variable.type)) + " " +
                     std::to_string(variable.storage.significant_bits);
  for (DimensionId id : variable.dimensions)
    text += " " + plan[id].name + " " + std::to_string(plan[id].size);
  return text;
}

}  // namespace

std::string static_variable_key(const Plan& plan, const Variable& variable) {
  return plan[variable.file].name + '\n' + variable.name;
}

KeptWholes kept_wholes(const Plan& plan, const StateEntries& entries) {
  KeptWholes kept;
  for (std::size_t i = 0; i < plan.statics.size(); ++i) {
    const Variable& variable = plan.statics[i];
    for (const StateEntry& entry : entries.find(kStaticVariableKind, static_variable_key(plan, variable))) {
      Decoder in(entry.bytes);
      if (in.get_text() != form_of(plan, variable)) continue;
      kept[i] = std::make_shared<const std::vector<std::byte>>(in.rest().begin(), in.rest().end());
      const std::vector<Index> extents = extents_in_file(plan, variable);
      if (kept[i]->size() != static_cast<std::size_t>(Region{{}, extents}.size()) * size_bytes(variable.type))
        throw TransportError("a static variable has a wrong size");
    }
  }
  return kept;
}

std::vector<StateEntry> StaticParts::state() const {
  std::vector<StateEntry> entries;
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    if (!wholes_[i].values || !wholes_[i].missing.empty()) continue;
    const Variable& variable = plan_.statics[i];
    StateEntry& entry =
        entries.emplace_back(StateEntry{kStaticVariableKind, static_variable_key(plan_, variable), {}, {}});
    Encoder out(entry.bytes);
    out.put(std::string_view(form_of(plan_, variable)));
    out.put_raw(*wholes_[i].values);
  }
  return entries;
}

StaticParts::StaticParts(const Plan& plan, ServerRank self, const KeptWholes& kept)
    : plan_(plan), wholes_(plan.statics.size()) {
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    const Variable& variable = plan.statics[i];
    if (plan[variable.file].owner != self) continue;
    if (const auto before = kept.find(i); before != kept.end()) {
      const bool is_text = variable.type == ElementType::character;
      (is_text ? wholes_[i].before : wholes_[i].values) = before->second;
      if (!is_text) continue;
    }
    const std::vector<Index> extents = extents_in_file(plan, variable);
    const Region whole{std::vector<Index>(extents.size(), 0), extents};
    const auto made = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(whole.size()) *
                                                               pileus::size_bytes(variable.type));
    wholes_[i].values = made;
    wholes_[i].open = made.get();
    Record nothing;
    nothing.region = whole;
    convert(nothing, value_layout(plan, variable), whole, *made);
    const bool is_distributed = plan[variable.value].spread == Spread::distributed;
    const ClientRank parts = is_distributed ? plan.layout.clients : 1;
    for (ClientRank client = 0; client < parts; ++client) wholes_[i].missing.insert(client);
  }
}

void StaticParts::add(const Record& part, ClientRank client) {
  Whole& whole = wholes_.at(part.variable.index);
  const Variable& variable = plan_.statics[part.variable.index];
  const bool is_distributed = plan_[variable.value].spread == Spread::distributed;
  if (!whole.values || whole.missing.erase(is_distributed ? client : 0) == 0) return;
  if (!part.value || part.region.size() == 0) return;
  const ValueLayout layout = value_layout(plan_, variable);
  const Region region = in_file(part.region, layout);
  const std::size_t size = pileus::size_bytes(variable.type);
  std::vector<std::byte> bytes(static_cast<std::size_t>(region.size()) * size);
  convert(part, layout, region, bytes);
  for (const Stretch& stretch : contiguous_stretches(region, extents_in_file(plan_, variable))) {
    std::memcpy(whole.open->data() + static_cast<std::size_t>(stretch.global_offset) * size,
                bytes.data() + static_cast<std::size_t>(stretch.local_offset) * size,
                static_cast<std::size_t>(stretch.length) * size);
  }
}

void StaticParts::end_client(ClientRank client) {
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    if (plan_[plan_.statics[i].value].spread != Spread::rooted) wholes_[i].missing.erase(client);
  }
}

void StaticParts::take_kept_texts() {
  for (Whole& whole : wholes_) {
    if (!whole.before || whole.missing.empty()) continue;
    whole.values = whole.before;
    whole.missing.clear();
  }
}

bool StaticParts::is_whole(FileId file) const {
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    if (plan_.statics[i].file == file && !wholes_[i].missing.empty()) return false;
  }
  return true;
}

void StaticParts::give_to(FileId file, FileDefinition& definition) const {
  auto next = definition.statics.begin();
  for (std::size_t i = 0; i < wholes_.size(); ++i) {
    if (plan_.statics[i].file == file) (next++)->values = wholes_[i].values;
  }
}

std::size_t StaticParts::size_bytes() const {
  std::size_t bytes = 0;
  for (const Whole& whole : wholes_) bytes += whole.values ? whole.values->size() : 0;
  return bytes;
}

std::string StaticParts::wait_text(FileId file) const {
  std::string text;
  for (std::size_t i = 0; i < wholes_.size() && text.empty(); ++i) {
    if (plan_.statics[i].file != file) continue;
    for (ClientRank client : wholes_[i].missing)
      text += (text.empty() ? "waits for \"" + plan_.statics[i].name + "\" of model rank " : ", ") +
              std::to_string(client);
  }
  return text;
}

}  // namespace pileus
