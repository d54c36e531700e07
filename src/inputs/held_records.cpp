#include "inputs/held_records.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/shortest.h"

namespace pileus {
namespace {

template <class T>
double value_at(const std::byte* values, std::size_t i) {
  T value;
  std::memcpy(&value, values + i * sizeof value, sizeof value);
  return static_cast<double>(value);
}

/// Values of two records, of which the second is null where the first is all.
struct Values {
  const std::byte *first, *second;
  bool are_floats;
  double weight;
  double operator()(std::size_t i) const {
    const auto at = [&](const std::byte* values) {
      return are_floats ? value_at<float>(values, i) : value_at<double>(values, i);
    };
    return second == nullptr ? at(first) : between(at(first), at(second), weight);
  }
};

/// Goes through a box of the model's memory, fastest dimension first.
template <class T>
void write_box(const Values& values, std::span<const Index> counts, std::span<const Index> strides,
               std::byte* first) {
  const std::size_t rank = counts.size();
  std::vector<Index> at(rank, 0);
  std::size_t i = 0;
  const Index row = rank == 0 ? 1 : counts[0], step = rank == 0 ? 0 : strides[0];
  for (std::byte* begin = first;;) {
    for (Index x = 0; x < row; ++x) {
      T value;
      if constexpr (std::is_same_v<T, std::uint8_t>)
        value = values(i++) != 0 ? 1 : 0;
      else
        value = static_cast<T>(values(i++));
      std::memcpy(begin + x * step, &value, sizeof value);
    }
    std::size_t d = 1;
    for (; d < rank; ++d) {
      begin += strides[d];
      if (++at[d] < counts[d]) break;
      begin -= counts[d] * strides[d];
      at[d] = 0;
    }
    if (d >= rank) return;
  }
}

}  // namespace

HeldRecords::HeldRecords(ModelInput input, BroughtInput brought)
    : input_(std::move(input)), brought_(std::move(brought)) {}

std::size_t HeldRecords::record_bytes() const {
  return static_cast<std::size_t>(input_.region.size()) * pileus::size_bytes(brought_.wire_type);
}

InputBracket HeldRecords::at(double time_s) const {
  if (last_s_ && time_s < *last_s_ && !brought_.axis.is_static())
    throw UsageError("time " + shortest(time_s) + " s is before " + shortest(*last_s_) +
                     " s, for which it was asked before, and its records are gone; times go forward");
  return brought_.axis.at(time_s);
}

std::optional<WantedRecords> HeldRecords::advance(std::uint32_t number, const InputBracket& bracket) {
  if (is_asked_ && bracket.first < asked_from_)
    throw UsageError("the records of its time are gone; times go forward");
  records_.erase(records_.begin(), records_.lower_bound(bracket.first));
  const InputAxis& axis = brought_.axis;
  std::int64_t until = bracket.last() + 1;
  if (!axis.is_static()) until += brought_.ahead;
  if (!axis.comes_round()) until = std::min(until, axis.last() + 1);
  const std::int64_t first = is_asked_ ? std::max(asked_until_, bracket.first) : bracket.first;
  asked_from_ = bracket.first;
  if (first >= until) return std::nullopt;
  is_asked_ = true;
  asked_until_ = until;
  return WantedRecords{number, first, until - first};
}

std::optional<WantedRecords> HeldRecords::first_wanted(std::uint32_t number) {
  return brought_.axis.is_static() ? advance(number, {}) : std::nullopt;
}

bool HeldRecords::has(const InputBracket& bracket) const {
  return records_.contains(bracket.first) && records_.contains(bracket.last());
}

void HeldRecords::take(std::int64_t record, std::span<const std::byte> values) {
  if (!is_asked_ || record >= asked_until_ || values.size() != record_bytes())
    throw TransportError("the server sent a record of input \"" + input_.name + "\" that nobody asked for");
  if (record < asked_from_) return;  // the model has gone on
  records_[record].assign(values.begin(), values.end());
}

void HeldRecords::write(const InputBracket& bracket, std::byte* first,
                        std::span<const Index> byte_strides) const {
  if (input_.region.size() == 0) return;
  const Values values{records_.at(bracket.first).data(),
                      bracket.weight > 0 ? records_.at(bracket.last()).data() : nullptr,
                      brought_.wire_type == ElementType::float32, bracket.weight};
  const std::vector<Index> counts(input_.region.count.begin(), input_.region.count.end());
  std::vector<Index> strides(byte_strides.begin(), byte_strides.end());
  Index dense = static_cast<Index>(pileus::size_bytes(input_.type));
  for (std::size_t d = 0; strides.size() < counts.size(); dense *= counts[d++]) strides.push_back(dense);
  switch (input_.type) {
    case ElementType::float64: return write_box<double>(values, counts, strides, first);
    case ElementType::float32: return write_box<float>(values, counts, strides, first);
    case ElementType::int32: return write_box<std::int32_t>(values, counts, strides, first);
    case ElementType::int64: return write_box<std::int64_t>(values, counts, strides, first);
    case ElementType::boolean: return write_box<std::uint8_t>(values, counts, strides, first);
    case ElementType::character: return;
  }
}

void HeldRecords::end(double time_s) {
  if (!brought_.axis.is_static()) {
    last_s_ = time_s;
    return;
  }
  records_.clear();
  is_asked_ = false;
}

std::size_t HeldRecords::size_bytes() const { return records_.size() * record_bytes(); }

}  // namespace pileus
