#include "plan/demand.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/signals.h"
#include "plan/frequency_code.h"

namespace pileus {
namespace {

void encode(Encoder& out, const ExtractDemand& extract) {
  out.put(extract.needs);
  out.put(extract.type);
  out.put(extract.significant_bits);
  for (const Extents* box : {&extract.first, &extract.count, &extract.step, &extract.extents, &extract.start})
    out.put(*box);
  out.put(extract.is_reduced);
  out.put(extract.reduction);
  out.put(extract.axes);
  out.put(extract.missing.has_value());
  out.put(extract.missing.value_or(0));
}

void encode(Encoder& out, const FieldDemand& field) {
  out.put(field.name);
  out.put(field.type);
  out.put(field.is_optional);
  out.put(field.is_sent);
  out.put(field.needs);
  out.put(field.is_static);
  out.put(field.is_kept);
  out.put(field.is_for_far_servers);
  out.put(static_cast<std::uint64_t>(field.extracts.size()));
  for (const ExtractDemand& extract : field.extracts) encode(out, extract);
}

/// Models have no later times.
constexpr double kLatest_s = 1e15;

bool decode_bool(Decoder& in) {
  const auto value = in.get<std::uint8_t>();
  if (value > 1) throw TransportError("a demand holds a truth value that is neither true nor false");
  return value == 1;
}

std::vector<std::uint32_t> decode_needs(Decoder& in, std::size_t need_count) {
  std::vector<std::uint32_t> needs = in.get_vector<std::uint32_t>();
  for (const std::uint32_t need : needs) {
    if (need >= need_count) throw TransportError("a demand refers to a need that it does not hold");
  }
  return needs;
}

ExtractDemand decode_extract(Decoder& in, std::size_t need_count) {
  ExtractDemand extract;
  extract.needs = decode_needs(in, need_count);
  extract.type = in.get<ElementType>();
  extract.significant_bits = in.get<std::int32_t>();
  for (Extents* box : {&extract.first, &extract.count, &extract.step, &extract.extents, &extract.start})
    *box = in.get_extents();
  extract.is_reduced = decode_bool(in);
  extract.reduction = in.get<Reduction>();
  extract.axes = in.get_vector<std::int32_t>();
  const bool has_missing = decode_bool(in);
  const auto missing = in.get<double>();
  if (has_missing) extract.missing = missing;
  if (!is_known(extract.type) || !is_known(extract.reduction) || extract.significant_bits < 0 ||
      extract.significant_bits > 52)
    throw TransportError("a demand holds an extract of no meaning");
  return extract;
}

FieldDemand decode_field(Decoder& in, std::size_t need_count) {
  FieldDemand field;
  field.name = in.get_text();
  field.type = in.get<ElementType>();
  if (!is_known(field.type)) throw TransportError("a demand holds an unknown type of number");
  field.is_optional = decode_bool(in);
  field.is_sent = decode_bool(in);
  field.needs = decode_needs(in, need_count);
  field.is_static = decode_bool(in);
  field.is_kept = decode_bool(in);
  field.is_for_far_servers = decode_bool(in);
  constexpr std::size_t kSmallestExtractBytes = 84;
  const std::size_t extracts = in.get_length(kSmallestExtractBytes);
  for (std::size_t i = 0; i < extracts; ++i) field.extracts.push_back(decode_extract(in, need_count));
  return field;
}

void encode(Encoder& out, const CheckpointReasons& reasons) {
  out.put(reasons.steps);
  encode_frequency(out, reasons.frequency);
  out.put(reasons.wall_time_s);
  out.put(static_cast<std::uint64_t>(reasons.signals.size()));
  for (const std::string& word : reasons.signals) out.put(word);
}

CheckpointReasons decode_reasons(Decoder& in) {
  CheckpointReasons reasons;
  reasons.steps = in.get<std::int64_t>();
  reasons.frequency = decode_frequency(in);
  reasons.wall_time_s = in.get<double>();
  if (reasons.steps < 0 || !(reasons.wall_time_s >= 0))
    throw TransportError("a demand holds reasons for checkpoints of no meaning");
  for (std::size_t i = in.get_length(8); i > 0; --i) {
    reasons.signals.push_back(in.get_text());
    if (!signal_number(reasons.signals.back())) throw TransportError("a demand names a signal that is none");
  }
  return reasons;
}

}  // namespace

std::uint64_t ExtractDemand::most_bytes(const Extents& part) const {
  const auto size = [](const Extents& counts) {
    std::uint64_t product = 1;
    for (const Index n : counts) product *= static_cast<std::uint64_t>(n);
    return product;
  };
  if (is_reduced) return kMostPartialsBytes + size(extents) * kMostPartialBytes;
  return size(count.empty() ? part : count) * size_bytes(type);
}

std::vector<std::uint64_t> extract_offsets(const std::vector<ExtractDemand>& extracts, const Extents& part) {
  const auto aligned = [](std::uint64_t offset) {
    return (offset + kExtractAlignment - 1) / kExtractAlignment * kExtractAlignment;
  };
  std::vector<std::uint64_t> offsets;
  std::uint64_t next = extracts.size() * sizeof(ExtractEntry);
  for (const ExtractDemand& extract : extracts) {
    offsets.push_back(aligned(next));
    next = offsets.back() + extract.most_bytes(part);
  }
  offsets.push_back(next);
  return offsets;
}

std::string text(const Need& need) {
  if (need.at_checkpoints) return "every step with a checkpoint";
  if (need.at_first) return "the first step of a run";
  std::string out = text(need.cadence);
  if (need.at_end) out += " and the final one";
  if (need.frequency.is_given())
    out += (need.is_from_last ? ", so long after the one before: " : ", the first after each ") +
           text(need.frequency);
  if (need.takes_last) out += " and the last";
  return need.skips_initial ? out + " but the state at the start" : out;
}

NeedTracker::NeedTracker(std::vector<Need> needs, double start_time_s)
    : needs_(std::move(needs)), met_(needs_.size(), false) {
  for (const Need& need : needs_) last_.push_back(passed_at(need, start_time_s));
}

NeedTracker::NeedTracker(std::vector<Need> needs, std::vector<std::int64_t> passed)
    : needs_(std::move(needs)), last_(std::move(passed)), met_(needs_.size(), false) {
  last_.resize(needs_.size());
}

std::int64_t NeedTracker::passed_at(const Need& need, double start_time_s) {
  if (!need.frequency.is_given()) return 0;
  const Boundaries boundaries(need.frequency);
  const std::int64_t boundary = boundaries.last_at_or_before(start_time_s, boundaries.start_length());
  return need.is_from_last ? std::bit_cast<std::int64_t>(boundaries.at(boundary)) : boundary;
}

bool NeedTracker::is_state(const Need& need, std::int64_t passed) {
  return !need.is_from_last || std::abs(std::bit_cast<double>(passed)) <= kLatest_s;
}

void NeedTracker::advance(const Step& step) {
  const bool follows_last = step.is_closing && step.done() == step_;
  step_ = step.index;
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    const Need& need = needs_[i];
    const bool is_done = follows_last && met_[i];
    met_[i] = !is_done && need.is_sampled(step);
    if (!met_[i] || !need.frequency.is_given()) continue;
    if (need.is_from_last) {
      met_[i] = takes_so_long_after_last(need, step, last_[i]);
      continue;
    }
    const Boundaries boundaries(need.frequency);
    const std::int64_t boundary = boundaries.last_at_or_before(step.time, step.length);
    // The final state has its own target, even if the step before it was near enough to take that target.
    const bool is_on_target = boundary == boundaries.first_at_or_after(step.time, step.length);
    const bool is_last = step.is_final && (need.takes_last || (is_on_target && !step.is_closing));
    met_[i] = boundary > last_[i] || step.is_initial() || is_last;
    last_[i] = std::max(last_[i], boundary);
  }
}

/// A step that ends on a multiple within its tolerance counts from that multiple: where steps meet each
/// multiple they are the ones that would be taken for it.
bool NeedTracker::takes_so_long_after_last(const Need& need, const Step& step, std::int64_t& last) const {
  if (step.is_initial()) return true;
  const Boundaries boundaries(need.frequency);
  const double time_s = boundaries.snapped(step.time, step.length);
  const double waited_s = time_s - std::bit_cast<double>(last) + kBoundaryTolerance * step.length;
  const bool is_taken = waited_s >= boundaries.period() || (step.is_final != 0 && need.takes_last);
  if (is_taken) last = std::bit_cast<std::int64_t>(time_s);
  return is_taken;
}

bool NeedTracker::is_any_met(const std::vector<std::uint32_t>& needs) const {
  return std::any_of(needs.begin(), needs.end(), [&](std::uint32_t need) { return met_[need]; });
}

void Demand::encode(Encoder& out) const {
  out.put(static_cast<std::uint64_t>(needs.size()));
  for (const Need& need : needs) {
    encode_cadence(out, need.cadence);
    encode_frequency(out, need.frequency);
    out.put(need.at_end);
    out.put(need.takes_last);
    out.put(need.at_checkpoints);
    out.put(need.skips_initial);
    out.put(need.at_first);
    out.put(need.is_from_last);
  }
  out.put(static_cast<std::uint64_t>(groups.size()));
  for (const GroupDemand& group : groups) {
    out.put(group.name);
    encode_cadence(out, group.frequency);
    out.put(static_cast<std::uint64_t>(group.fields.size()));
    for (const FieldDemand& field : group.fields) pileus::encode(out, field);
  }
  out.put(budget_bytes);
  out.put(common_steps);
  pileus::encode(out, checkpoints);
  out.put(continued.has_value());
  if (!continued) return;
  out.put(continued->after.index);
  out.put(continued->after.time);
  out.put(continued->after.length);
  out.put(continued->passed);
}

Demand Demand::decode(Decoder& in) {
  constexpr std::size_t kNeedBytes = 38, kSmallestGroupBytes = 32, kSmallestFieldBytes = 30;
  Demand demand;
  demand.needs.resize(in.get_length(kNeedBytes));
  for (Need& need : demand.needs) {
    need.cadence = decode_cadence(in);
    need.frequency = decode_frequency(in);
    need.at_end = decode_bool(in);
    need.takes_last = decode_bool(in);
    need.at_checkpoints = decode_bool(in);
    need.skips_initial = decode_bool(in);
    need.at_first = decode_bool(in);
    need.is_from_last = decode_bool(in);
  }
  demand.groups.resize(in.get_length(kSmallestGroupBytes));
  for (GroupDemand& group : demand.groups) {
    group.name = in.get_text();
    group.frequency = decode_cadence(in);
    const std::size_t fields = in.get_length(kSmallestFieldBytes);
    for (std::size_t i = 0; i < fields; ++i) group.fields.push_back(decode_field(in, demand.needs.size()));
  }
  demand.budget_bytes = in.get<std::uint64_t>();
  demand.common_steps = in.get<std::int64_t>();
  if (demand.common_steps < 0) throw TransportError("a demand has frequencies of no steps");
  demand.checkpoints = decode_reasons(in);
  if (!decode_bool(in)) return demand;
  Continued& continued = demand.continued.emplace();
  continued.after.index = in.get<std::int64_t>();
  continued.after.time = in.get<double>();
  continued.after.length = in.get<double>();
  continued.passed = in.get_vector<std::int64_t>();
  if (continued.passed.size() != demand.needs.size())
    throw TransportError("a demand continues other needs than it holds");
  for (std::size_t i = 0; i < demand.needs.size(); ++i) {
    if (!NeedTracker::is_state(demand.needs[i], continued.passed[i]))
      throw TransportError("a need of a demand counts from no time");
  }
  return demand;
}

}  // namespace pileus
