#include "analytics/tree_values.h"

#include <algorithm>
#include <stdexcept>

#include "analytics/operators/localreduce.h"
#include "analytics/sample_code.h"
#include "core/error.h"

namespace pileus {
namespace {

/// A local value in the form in which its reduction merges it. What is no Partial of the same reduction is
/// rounded here, on its rank; the Plan has warned that the result then depends on the layout.
Sample as_contribution(const Sample& local, Reduction reduction, std::optional<double> missing) {
  if (const auto* array = std::get_if<Array>(&local)) return lifted(*array, reduction, missing);
  const auto& partials = std::get<PartialArray>(local);
  const Reduction held = partials.values->reduction();
  if (held == reduction) return local;
  if (held == Reduction::sum && reduction == Reduction::mean) {
    return PartialArray{partials.extents, std::make_shared<Partials>(partials.values->as(Reduction::mean))};
  }
  return lifted(make_array(to_doubles(local, missing), partials.extents), reduction, missing);
}

}  // namespace

TreeValues::TreeValues(const Plan& plan, std::size_t tree)
    : plan_(plan), tree_(tree), entries_(plan.trees[tree].communications.size()) {}

const Communicate& TreeValues::action(std::size_t i) const {
  return std::get<Communicate>(plan_[plan_.trees[tree_].communications[i]].action);
}

void TreeValues::set(std::size_t i, const Sample& local) {
  const Communicate& communicate = action(i);
  const bool is_kept = is_absent(local) || communicate.takes_rank_zero;
  const Rule& rule = plan_[plan_.trees[tree_].communications[i]];
  const Reduction reduction = communicate.reduction;
  entries_[i] = {true, is_kept ? local : as_contribution(local, reduction, plan_[rule.inputs[0]].missing)};
}

void TreeValues::merge(const Contribution& other) {
  const auto& values = static_cast<const TreeValues&>(other);
  for (std::size_t i = 0; i < entries_.size(); ++i) merge_entry(i, values.entries_[i]);
}

void TreeValues::merge_entry(std::size_t i, const Entry& other) {
  Entry& mine = entries_[i];
  if (!other.is_said) return;
  if (!mine.is_said || (action(i).takes_rank_zero && is_absent(mine.value))) {
    mine = other;
    return;
  }
  if (action(i).takes_rank_zero || is_absent(mine.value)) return;
  if (is_absent(other.value)) {
    mine.value = Absent{};
    return;
  }
  auto& ours = std::get<PartialArray>(mine.value);
  const auto& theirs = std::get<PartialArray>(other.value);
  if (ours.extents != theirs.extents) {
    throw UsageError(plan_[plan_.trees[tree_].communications[i]].name +
                     ": model ranks hold different shapes");
  }
  // Shared values are left alone: whoever shares them may still read them.
  auto merged = ours.values.use_count() == 1 ? std::const_pointer_cast<Partials>(ours.values)
                                             : std::make_shared<Partials>(*ours.values);
  try {
    merged->merge(*theirs.values);
  } catch (const std::invalid_argument& error) {
    throw TransportError(plan_[plan_.trees[tree_].communications[i]].name + ": " + error.what());
  }
  ours.values = std::move(merged);
}

void TreeValues::encode(Encoder& out) const {
  for (const Entry& entry : entries_) {
    out.put(static_cast<std::uint8_t>(entry.is_said ? 1 : 0));
    if (entry.is_said) encode_sample(entry.value, out);
  }
}

std::unique_ptr<TreeValues> TreeValues::decode(const Plan& plan, std::size_t tree, Decoder& in) {
  auto values = std::make_unique<TreeValues>(plan, tree);
  for (std::size_t i = 0; i < values->entries_.size(); ++i) {
    Entry& entry = values->entries_[i];
    entry.is_said = in.get<std::uint8_t>() != 0;
    if (!entry.is_said) continue;
    entry.value = decode_sample(in);
    if (!is_absent(entry.value)) values->check_decoded(i);
  }
  return values;
}

/// What others will merge or index must have the form that the Plan gives it.
void TreeValues::check_decoded(std::size_t i) const {
  const Rule& communication = plan_[plan_.trees[tree_].communications[i]];
  const Sample& value = entries_[i].value;
  const bool has_shape = extents(value) == plan_.extents(communication.output);
  const auto* partials = std::get_if<PartialArray>(&value);
  const bool has_form =
      action(i).takes_rank_zero || (partials && partials->values->reduction() == action(i).reduction);
  if (!has_shape || !has_form)
    throw TransportError(communication.name + ": a message holds another kind of value");
}

std::unique_ptr<TreeValues> TreeValues::all_absent(const Plan& plan, std::size_t tree) {
  auto values = std::make_unique<TreeValues>(plan, tree);
  for (Entry& entry : values->entries_) entry.is_said = true;
  return values;
}

}  // namespace pileus
