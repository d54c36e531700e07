#include "held/held_values.h"

#include <algorithm>
#include <limits>

#include "lags/kept_arrays.h"

namespace pileus {
namespace {

constexpr const char* kForm = "held";

/// Models hand over in each step what changes seldom.
bool is_same(const Array& one, const Array& other) {
  return one.extents == other.extents &&
         std::equal(one.bytes.get(), one.bytes.get() + one.size_bytes(), other.bytes.get());
}

}  // namespace

std::string held_key(const PlannedField& field) { return field.name; }

HeldValues::HeldValues(const Plan& plan, ClientRank client, const std::vector<Region>& regions,
                       const StateEntries* continued)
    : plan_(plan), client_(client), regions_(regions) {
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const PlannedField& field = plan.fields[f];
    if (!field.is_held || !(field.is_sent_by_all || client == 0)) continue;
    Source& source = sources_.emplace_back(Source{FieldId(f), {}});
    if (continued == nullptr) continue;
    const Sample before = assembled(continued->find(kHeldKind, held_key(field)), kForm, field.type,
                                    regions_[field.value.index]);
    if (const auto* const array = std::get_if<Array>(&before))
      source.kept.push_back({std::numeric_limits<std::int64_t>::min(), *array});
  }
}

Sample HeldValues::take(FieldId field, std::int64_t step, const Sample& sample) {
  Source& source = *std::ranges::find(sources_, field, &Source::field);
  const auto* const array = std::get_if<Array>(&sample);
  if (array != nullptr && (source.kept.empty() || !is_same(source.kept.back().array, *array))) {
    source.kept.push_back({step, copy_of(*array)});
    let_go(source);
  }
  return source.kept.empty() ? Sample(Absent{}) : Sample(source.kept.back().array);
}

/// A checkpoint has the last one that came up to the last step that is closed.
void HeldValues::let_go(Source& source) const {
  while (source.kept.size() > 1 && source.kept[1].step <= closed_) source.kept.pop_front();
}

void HeldValues::close(std::int64_t step) {
  closed_ = std::max(closed_, step);
  for (Source& source : sources_) let_go(source);
}

std::vector<StateEntry> HeldValues::state() const {
  std::vector<StateEntry> entries;
  for (const Source& source : sources_) {
    const PlannedField& field = plan_[source.field];
    const Region& region = regions_[field.value.index];
    // What is the same on all ranks is rank 0's.
    const bool is_ours = plan_[field.value].spread == Spread::distributed || client_ == 0;
    if (!is_ours || region.size() == 0 || source.kept.empty()) continue;
    const Kept& first = source.kept.front();
    if (first.step > closed_) continue;
    entries.push_back({kHeldKind, held_key(field), region, bytes_of(first.array, kForm)});
  }
  return entries;
}

std::size_t HeldValues::size_bytes() const {
  std::size_t bytes = 0;
  for (const Source& source : sources_)
    for (const Kept& kept : source.kept) bytes += kept.array.size_bytes();
  return bytes;
}

}  // namespace pileus
