#include "publishing/owner/learned_bits.h"

#include <algorithm>
#include <cmath>

#include "core/encoder.h"
#include "core/error.h"
#include "files/file_attributes.h"

namespace pileus {
namespace {

std::string key_of(const Plan& plan, const Variable& variable) {
  return plan[variable.file].name + '\n' + variable.name;
}

}  // namespace

std::map<VariableId, KnownBits> learned_bits(const Plan& plan, const StateEntries& entries) {
  std::map<VariableId, KnownBits> learned;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    const Variable& variable = plan.variables[v];
    if (!(variable.storage.information > 0)) continue;
    for (const StateEntry& entry : entries.find(kLearnedKind, key_of(plan, variable))) {
      Decoder in(entry.bytes);
      // Bits of another value, or another part of the information, are learned anew.
      const bool is_same = in.get_text() == variable.definition &&
                           in.get<double>() == variable.storage.information &&
                           in.get<ElementType>() == variable.type;
      const auto bits = in.get<std::int32_t>();
      if (bits < 0 || bits > 52) throw TransportError("a variable keeps " + std::to_string(bits) + " bits");
      const auto period = in.get<std::int64_t>();
      if (is_same) learned[VariableId(v)] = {bits, period};
    }
  }
  return learned;
}

LearnedBits::LearnedBits(const OwnedFiles& book, FileWriters& writers) : book_(book), writers_(writers) {
  const Plan& plan = book.plan();
  if (book.continued()) known_ = book.continued()->learned;
  for (const auto& [file, definition] : book.definitions()) {
    for (std::uint32_t v = 0; v < plan[file].variables.size(); ++v) {
      const VariableId id = plan[file].variables[v];
      if (plan[id].storage.information > 0 && !known_.contains(id)) learning_[id] = {file, v, {}, {}};
    }
  }
}

void LearnedBits::add_record(FilePeriod key, std::uint32_t axis, Index record) {
  std::vector<VariableId> of_axis;
  for (auto& [id, learning] : learning_) {
    if (learning.file != key.file || book_.definition(key.file).variables[learning.index].axis != axis)
      continue;
    learning.records.emplace_back(key, record);
    of_axis.push_back(id);
  }
  for (const VariableId id : of_axis) learn(id);
}

void LearnedBits::add(const PackedPart& counted) {
  const VariableId id = book_.plan()[counted.file.file].variables[counted.variable];
  const auto found = learning_.find(id);
  if (found == learning_.end()) return;  // the answer is on its way
  Counted& record = found->second.counted[{counted.file, counted.record}];
  if (record.chunks.insert(counted.chunk).second) record.pairs += counted.pairs;
  learn(id);
}

/// Of the first record that has any pairs: a record without values says nothing, and needs no rounding.
void LearnedBits::learn(VariableId id) {
  Learning& learning = learning_.at(id);
  while (!learning.records.empty()) {
    const auto [key, record] = learning.records.front();
    const auto counted = learning.counted.find({key, record});
    if (counted == learning.counted.end() ||
        counted->second.chunks.size() < book_.chunk_counts(key.file)[learning.index])
      return;
    const bool is_final = counted->second.pairs.pairs > 0;
    const double level = book_.plan()[id].storage.information;
    const int bits = is_final ? kept_bits(counted->second.pairs, level) : 0;
    const std::uint32_t axis = book_.definition(key.file).variables[learning.index].axis;
    writers_.progress({key, axis, 0, 0, {{learning.index, record, bits, is_final}}});
    if (is_final) {
      known_[id] = {bits, key.period};
      learning_.erase(id);
      return;
    }
    learning.counted.erase(counted);
    learning.records.pop_front();
  }
}

void LearnedBits::lost(FilePeriod key) {
  std::vector<VariableId> of_file;
  for (auto& [id, learning] : learning_) {
    if (learning.file != key.file) continue;
    std::erase_if(learning.records, [&](const RecordOf& record) { return record.first == key; });
    std::erase_if(learning.counted, [&](const auto& counted) { return counted.first.first == key; });
    of_file.push_back(id);
  }
  for (const VariableId id : of_file) learn(id);
}

std::vector<StateEntry> LearnedBits::state() const {
  const Plan& plan = book_.plan();
  std::vector<StateEntry> entries;
  for (const auto& [id, known] : known_) {
    if (plan[plan[id].file].owner != book_.self()) continue;
    StateEntry& entry = entries.emplace_back(StateEntry{kLearnedKind, key_of(plan, plan[id]), {}, {}});
    Encoder out(entry.bytes);
    out.put(std::string_view(plan[id].definition));
    out.put(plan[id].storage.information);
    out.put(plan[id].type);
    out.put(static_cast<std::int32_t>(known.bits));
    out.put(known.period);
  }
  return entries;
}

std::vector<Remark> LearnedBits::remarks(FilePeriod key) const {
  std::vector<Remark> remarks;
  const Plan& plan = book_.plan();
  for (std::uint32_t v = 0; v < plan[key.file].variables.size(); ++v) {
    const auto found = known_.find(plan[key.file].variables[v]);
    if (found == known_.end() || found->second.bits == 0 || key.period < found->second.period) continue;
    for (FileAttribute& attribute : rounding_attributes(found->second.bits))
      remarks.push_back({{}, {}, v, std::move(attribute)});
  }
  return remarks;
}

}  // namespace pileus
