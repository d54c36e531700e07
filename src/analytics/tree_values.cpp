#include "analytics/tree_values.h"

#include <algorithm>
#include <stdexcept>

#include "analytics/operators/localreduce.h"
#include "analytics/sample_code.h"
#include "core/arena.h"
#include "core/error.h"

namespace pileus {
namespace {

/// A shared Partials, what counts its owners, and the allocator.
constexpr std::size_t kSharedPartialsBytes = sizeof(Partials) + 8 * sizeof(void*);

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

bool is_sum(Reduction reduction) { return keeps_of(reduction) == Keeps::sum; }

}  // namespace

TreeValues::TreeValues(const Plan& plan, std::size_t tree)
    : plan_(plan), tree_(tree), entries_(plan.trees[tree].communications.size()) {}

std::size_t TreeValues::sent_elements() const {
  std::size_t elements = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].state == State::column) elements += size(i);
  return elements;
}

/// Elements of the communication's result. REQUIRES: its shape is known.
std::size_t TreeValues::size(std::size_t i) const {
  std::size_t size = 1;
  for (const DimensionId dimension : plan_[rule(i).output].dimensions)
    size *= static_cast<std::size_t>(plan_[dimension].size);
  return size;
}

void TreeValues::set(std::size_t i, const Sample& local) {
  const Communicate& communicate = action(i);
  if (is_absent(local) || communicate.takes_rank_zero) {
    entries_[i] = {State::apart, 0, 0, local};
  } else if (!set_column(i, local)) {
    const std::optional<double> missing = plan_[rule(i).inputs[0]].missing;
    entries_[i] = {State::apart, 0, 0, as_contribution(local, communicate.reduction, missing)};
  }
}

/// False for what does not go into columns.
bool TreeValues::set_column(std::size_t i, const Sample& local) {
  const bool has_missing = plan_[rule(i).inputs[0]].missing && std::holds_alternative<Array>(local);
  if (!is_sum(action(i).reduction) || has_missing) return false;
  const std::size_t begin = sums_.size();
  return append(entries_[i], local, plan_.extents(rule(i).output), action(i).reduction) &&
         are_small_from(begin);
}

/// Behind the columns that there are; false, and nothing is appended, for what has another form. What is too
/// large is found by are_small_from.
bool TreeValues::append(Entry& entry, const Sample& local, const Extents& shape, Reduction reduction) {
  if (is_absent(local) || extents(local) != shape) return false;
  entry.first = sums_.size();
  if (const auto* array = std::get_if<Array>(&local)) {
    if (array->type != ElementType::float64) return false;
    sums_.append(array->as<double>());
    entry.count = 1;
  } else {
    const Partials& partials = *std::get<PartialArray>(local).values;
    const bool is_mean_of_means = partials.reduction() == Reduction::mean && reduction == Reduction::sum;
    if (!partials.are_plain_sums() || is_mean_of_means) return false;
    sums_.append(partials.sums());
    entry.count = partials.common_count().value_or(0);
  }
  entry.state = State::column;
  return true;
}

/// Whether the columns from there on are small; if not, they are cut.
bool TreeValues::are_small_from(std::size_t begin) {
  const bool are_small = pileus::are_small(std::as_const(sums_).part(0).subspan(begin));
  if (!are_small) sums_.cut(begin);
  return are_small;
}

void TreeValues::set(const Bundle& bundle, const std::vector<Sample>& values) {
  if (set_columns(bundle, values)) return;
  for (std::size_t m = 0; m < bundle.members.size(); ++m)
    set(bundle.first + m, values[bundle.members[m].input.index]);
}

/// False, and none is in the columns, where some of them do not go there.
bool TreeValues::set_columns(const Bundle& bundle, const std::vector<Sample>& values) {
  const std::size_t begin = sums_.size();
  for (std::size_t m = 0; m < bundle.members.size(); ++m) {
    const Bundle::Member& member = bundle.members[m];
    if (append(entries_[bundle.first + m], values[member.input.index], member.extents, bundle.reduction))
      continue;
    sums_.cut(begin);
    return false;
  }
  return are_small_from(begin);
}

void TreeValues::merge(const Contribution& other) {
  const auto& values = static_cast<const TreeValues&>(other);
  std::vector<std::size_t> together;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].state == State::column && values.entries_[i].state == State::column) {
      together.push_back(i);
    } else {
      merge_entry(i, values);
    }
  }
  if (!together.empty()) merge_columns(values, together);
}

/// What is not in the columns of both.
void TreeValues::merge_entry(std::size_t i, const TreeValues& other) {
  Entry& mine = entries_[i];
  const Entry& theirs = other.entries_[i];
  if (theirs.state == State::unsaid) return;
  const bool is_taken = action(i).takes_rank_zero;
  if (mine.state == State::unsaid || (is_taken && mine.state == State::apart && is_absent(mine.value))) {
    mine = {State::apart, 0, 0, other.value(i)};
    return;
  }
  if (is_taken || (mine.state == State::apart && is_absent(mine.value))) return;
  part(i);
  merge_apart(i, other.value(i));
}

/// REQUIRES: apart, and not absent.
void TreeValues::merge_apart(std::size_t i, const Sample& theirs) {
  Entry& mine = entries_[i];
  if (is_absent(theirs)) {
    mine.value = Absent{};
    return;
  }
  auto& ours = std::get<PartialArray>(mine.value);
  const auto& more = std::get<PartialArray>(theirs);
  if (ours.extents != more.extents) throw UsageError(rule(i).name + ": model ranks hold different shapes");
  // Shared values are left alone: whoever shares them may still read them.
  auto merged = is_sole_owner(ours.values) ? std::const_pointer_cast<Partials>(ours.values)
                                           : std::make_shared<Partials>(*ours.values);
  try {
    merged->merge(*more.values);
  } catch (const std::invalid_argument& error) {
    throw TransportError(rule(i).name + ": " + error.what());
  }
  ours.values = std::move(merged);
}

/// Whether the columns of both lie alike, and there are no others.
bool TreeValues::lie_alike(const TreeValues& other, const std::vector<std::size_t>& together) const {
  if (sums_.size() != other.sums_.size()) return false;
  std::size_t elements = 0;
  for (const std::size_t i : together) {
    if (entries_[i].state != State::column || entries_[i].first != other.entries_[i].first) return false;
    elements += size(i);
  }
  return elements == sums_.size();
}

/// Adds all columns at once. `together`: rising, those that are columns here and there.
void TreeValues::merge_columns(const TreeValues& other, const std::vector<std::size_t>& together) {
  std::size_t p = 0;
  for (; p < other.sums_.part_count() && lie_alike(other, together); ++p)
    part_with(together, sums_.add(other.sums_.part(p)));
  std::vector<double> addends(p < other.sums_.part_count() ? sums_.size() : 0);
  for (; p < other.sums_.part_count(); ++p) {
    std::ranges::fill(addends, 0);
    for (const std::size_t i : together) {
      const auto theirs = other.sums_.part(p).subspan(other.entries_[i].first, size(i));
      if (entries_[i].state == State::column) {
        std::ranges::copy(theirs, addends.begin() + static_cast<std::ptrdiff_t>(entries_[i].first));
      } else {  // it left the columns with an earlier part
        std::vector<double> rest(theirs.begin(), theirs.end());
        const Partials more(action(i).reduction, 0, SumColumns(std::move(rest)));
        merge_apart(i, PartialArray{plan_.extents(rule(i).output), std::make_shared<Partials>(more)});
      }
    }
    part_with(together, sums_.add(addends));
  }
  for (const std::size_t i : together) {
    const std::int64_t count = other.entries_[i].count;
    if (entries_[i].state == State::column) {
      entries_[i].count += count;
      if (entries_[i].count >= Partial::kMostValues)
        throw TransportError(rule(i).name + ": model ranks hold more values than there can be");
    } else {
      const Partials more(action(i).reduction, count, SumColumns(size(i)));
      merge_apart(i, PartialArray{plan_.extents(rule(i).output), std::make_shared<Partials>(more)});
    }
  }
}

/// Sums that have become what does not go into columns. `together`: rising, those that have them.
void TreeValues::part_with(const std::vector<std::size_t>& together, const SumColumns::Unfit& unfit) {
  for (const auto& [place, sum] : unfit) {
    for (const std::size_t i : together) {
      const bool is_there = entries_[i].first <= place && place < entries_[i].first + size(i);
      if (is_there) part_with(i, place - entries_[i].first, sum);
    }
  }
}

/// An element of the communication's columns has become what does not go into them.
void TreeValues::part_with(std::size_t i, std::size_t element, const ExactSum& sum) {
  part(i);
  auto& ours = std::get<PartialArray>(entries_[i].value);
  auto partials = std::make_shared<Partials>(*ours.values);
  partials->merge_sum(element, sum);
  ours.values = std::move(partials);
}

/// Out of the columns, which are zero there then.
void TreeValues::part(std::size_t i) {
  if (entries_[i].state != State::column) return;
  Sample apart = value(i);
  sums_.make_zero(entries_[i].first, size(i));
  entries_[i] = {State::apart, entries_[i].first, 0, std::move(apart)};
}

Sample TreeValues::value(std::size_t i) const {
  const Entry& entry = entries_[i];
  if (entry.state != State::column) return entry.value;
  return PartialArray{
      plan_.extents(rule(i).output),
      std::make_shared<Partials>(action(i).reduction, entry.count, sums_.copy_of(entry.first, size(i)))};
}

/// Gives its values out of the memory in which all lie.
class TreeValues::Taking {
 public:
  explicit Taking(TreeValues& values)
      : values_(values),
        sums_(std::make_shared<const SumColumns>(std::exchange(values.sums_, SumColumns(0)))) {}

  /// All members at once, if their columns lie one after the other.
  BundleValues bundle(const Bundle& bundle) {
    const std::span<Entry> members = std::span(values_.entries_).subspan(bundle.first, bundle.members.size());
    if (std::ranges::all_of(members, [](const Entry& entry) { return entry.state == State::unsaid; }))
      return {};
    const std::size_t first = members.front().first;
    const std::int64_t count = members.front().count;
    std::size_t end = first;
    bool lie_together = true;
    for (std::size_t m = 0; m < members.size() && lie_together; ++m) {
      const Entry& entry = members[m];
      const bool counts_alike = bundle.reduction == Reduction::sum || entry.count == count;
      lie_together = entry.state == State::column && entry.first == end && counts_alike;
      end += bundle.members[m].size;
    }
    if (lie_together) return {Partials(bundle.reduction, count, SumColumns(sums_, first, end - first)), {}};
    BundleValues apart;
    for (std::size_t m = 0; m < members.size(); ++m) apart.apart.push_back(value(bundle.first + m));
    return apart;
  }

  Sample value(std::size_t i) {
    Entry& entry = values_.entries_[i];
    if (entry.state != State::column) return std::move(entry.value);
    SumColumns sums(sums_, entry.first, values_.size(i));
    return PartialArray{
        values_.plan_.extents(values_.rule(i).output),
        std::allocate_shared<Partials>(memory(), values_.action(i).reduction, entry.count, std::move(sums))};
  }

 private:
  /// Of all that are given one by one.
  ArenaAllocator<Partials> memory() {
    if (!arena_) arena_ = std::make_shared<Arena>(values_.entries_.size() * kSharedPartialsBytes);
    return ArenaAllocator<Partials>(arena_);
  }

  TreeValues& values_;
  std::shared_ptr<const SumColumns> sums_;
  std::shared_ptr<Arena> arena_;
};

TreeValues::Taken TreeValues::take() {
  Taking taking(*this);
  Taken taken{std::vector<Sample>(entries_.size()), {}};
  std::size_t alone = 0;  // bundles come first
  for (const std::size_t b : plan_.trees[tree_].bundles) {
    taken.bundles.push_back(taking.bundle(plan_.bundles[b]));
    alone += plan_.bundles[b].members.size();
  }
  for (std::size_t i = alone; i < entries_.size(); ++i) taken.values[i] = taking.value(i);
  std::ranges::fill(entries_, Entry{});
  return taken;
}

// Bytes: by communication its state, then a Sample, or the count of values; then, where there are columns,
// the number of parts and these, of all columns one after the other.
void TreeValues::encode(Encoder& out) const {
  for (const Entry& entry : entries_) {
    out.put(entry.state);
    if (entry.state == State::apart) encode_sample(entry.value, out);
    if (entry.state == State::column) out.put(entry.count);
  }
  if (sent_elements() == 0) return;
  out.put(static_cast<std::uint8_t>(sums_.part_count()));
  for (std::size_t p = 0; p < sums_.part_count(); ++p) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].state == State::column)
        out.put_raw(std::as_bytes(sums_.part(p).subspan(entries_[i].first, size(i))));
    }
  }
}

std::unique_ptr<TreeValues> TreeValues::decode(const Plan& plan, std::size_t tree, Decoder& in) {
  auto values = std::make_unique<TreeValues>(plan, tree);
  std::size_t elements = 0;
  for (std::size_t i = 0; i < values->entries_.size(); ++i) {
    Entry& entry = values->entries_[i];
    entry.state = in.get<State>();
    if (entry.state > State::column) throw TransportError("a message holds an unknown kind of value");
    if (entry.state == State::apart) entry.value = decode_sample(in);
    if (entry.state == State::apart && !is_absent(entry.value)) values->check_decoded(i);
    if (entry.state != State::column) continue;
    entry.first = elements;
    entry.count = in.get<std::int64_t>();
    const bool has_form = !values->action(i).takes_rank_zero && is_sum(values->action(i).reduction);
    if (!has_form || entry.count < 0 || entry.count >= Partial::kMostValues)
      throw TransportError(values->rule(i).name + ": a message holds another kind of value");
    elements += values->size(i);
  }
  if (elements > 0) values->decode_columns(in, elements);
  return values;
}

/// Errors: TransportError for parts that encode does not write.
void TreeValues::decode_columns(Decoder& in, std::size_t elements) {
  const auto parts = in.get<std::uint8_t>();
  if (parts == 0 || parts > SumColumns::kMostParts) throw TransportError("a message holds impossible sums");
  const auto bytes = in.get_raw(elements * sizeof(double) * parts);
  std::vector<double> sums(elements * parts);
  std::memcpy(sums.data(), bytes.data(), bytes.size());
  if (!are_small(sums)) throw TransportError("a message holds impossible sums");
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.state != State::column || entry.count > 0) continue;
    for (std::size_t p = 0; p < parts; ++p) {
      const auto of_nothing = std::span(sums).subspan(p * elements + entry.first, size(i));
      if (std::ranges::any_of(of_nothing, [](double sum) { return sum != 0; }))
        throw TransportError(rule(i).name + ": a message holds a sum of nothing");
    }
  }
  sums_ = SumColumns(elements);
  sums_.set_parts(std::move(sums));
}

/// What others will merge or index must have the form that the Plan gives it.
void TreeValues::check_decoded(std::size_t i) const {
  const Sample& value = entries_[i].value;
  const bool has_shape = extents(value) == plan_.extents(rule(i).output);
  const auto* partials = std::get_if<PartialArray>(&value);
  const bool has_form =
      action(i).takes_rank_zero || (partials && partials->values->reduction() == action(i).reduction);
  if (!has_shape || !has_form) throw TransportError(rule(i).name + ": a message holds another kind of value");
}

std::unique_ptr<TreeValues> TreeValues::all_absent(const Plan& plan, std::size_t tree) {
  auto values = std::make_unique<TreeValues>(plan, tree);
  for (Entry& entry : values->entries_) entry.state = State::apart;
  return values;
}

}  // namespace pileus
