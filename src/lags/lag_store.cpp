#include "lags/lag_store.h"

#include <algorithm>
#include <utility>

#include "lags/kept_arrays.h"

namespace pileus {
namespace {

constexpr const char* kForm = "lag";

const Lag& lag_of(const Rule& rule) { return std::get<Lag>(rule.action); }

}  // namespace

std::string lag_key(const Plan& plan, const Rule& lag, std::int64_t age) {
  const Value& input = plan[lag.inputs.front()];
  const std::string what = input.field.is_valid() ? "field " + plan[input.field].name : "clock " + input.name;
  const char* const end = lag_of(lag).at_end ? ", and at the end" : "";
  return what + '\n' + text(plan[lag.output].cadence) + end + '\n' + std::to_string(age);
}

LagStore::LagStore(const Plan& plan, ClientRank client, const std::vector<Region>& regions,
                   const StateEntries* continued)
    : plan_(plan), client_(client), regions_(regions) {
  for (LagSource& source : lag_sources(plan, client)) sources_.push_back({std::move(source), {}});
  if (continued == nullptr) return;
  closed_ = -1;  // what was kept lies before
  for (Source& source : sources_) restore(source, *continued);
}

void LagStore::restore(Source& source, const StateEntries& continued) {
  const Rule& rule = plan_[source.of.rules.front()];
  for (std::int64_t age = source.of.most; age > 0; --age) {
    const auto entries = continued.find(kLagKind, lag_key(plan_, rule, age));
    const Region& region = regions_[source.of.input.index];
    source.kept.push_back({-1 - age, assembled(entries, kForm, plan_[source.of.input].type, region)});
  }
}

std::vector<std::size_t> LagStore::of_step(const StepKind& kind) const {
  std::vector<std::size_t> numbers;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const bool comes = std::ranges::any_of(sources_[s].of.rules,
                                           [&](RuleId rule) { return kind.wants(plan_[rule].output); });
    if (comes) numbers.push_back(s);
  }
  return numbers;
}

void LagStore::take(std::size_t source, std::int64_t step, const Sample& sample) {
  Source& one = sources_[source];
  const auto* const array = std::get_if<Array>(&sample);
  one.kept.push_back({step, array == nullptr ? Sample(Absent{}) : Sample(copy_of(*array))});
  let_go(one);
}

Sample LagStore::before(std::size_t source, std::int64_t back) const {
  const std::deque<Kept>& kept = sources_[source].kept;
  const std::int64_t place = std::ssize(kept) - 1 - back;
  return place < 0 ? Sample(Absent{}) : kept[static_cast<std::size_t>(place)].sample;
}

/// Steps that are open count from what is behind them, and a checkpoint from what is behind the last closed.
void LagStore::let_go(Source& source) const {
  auto closed = std::ranges::count_if(source.kept, [&](const Kept& one) { return one.step <= closed_; });
  for (; closed > source.of.most; --closed) source.kept.pop_front();
}

void LagStore::close(std::int64_t step) {
  closed_ = std::max(closed_, step);
  for (Source& source : sources_) let_go(source);
}

std::vector<StateEntry> LagStore::state() const {
  std::vector<StateEntry> entries;
  for (const Source& source : sources_) {
    const Region& region = regions_[source.of.input.index];
    // What is the same on all ranks is rank 0's.
    const bool is_ours = plan_[source.of.input].spread == Spread::distributed || client_ == 0;
    if (!is_ours || region.size() == 0) continue;
    std::int64_t age = 0;
    for (auto kept = source.kept.rbegin(); kept != source.kept.rend() && age < source.of.most; ++kept) {
      if (kept->step > closed_) continue;
      ++age;
      const auto* const array = std::get_if<Array>(&kept->sample);
      if (array == nullptr) continue;
      StateEntry& entry = entries.emplace_back();
      entry.kind = kLagKind;
      entry.key = lag_key(plan_, plan_[source.of.rules.front()], age);
      entry.region = region;
      entry.bytes = bytes_of(*array, kForm);
    }
  }
  return entries;
}

std::size_t LagStore::size_bytes() const {
  std::size_t bytes = 0;
  for (const Source& source : sources_) {
    for (const Kept& kept : source.kept)
      if (const auto* const array = std::get_if<Array>(&kept.sample)) bytes += array->size_bytes();
  }
  return bytes;
}

}  // namespace pileus
