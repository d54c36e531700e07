#include "inputs/input_axis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/shortest.h"

namespace pileus {
namespace {

/// A time is that of a record if it is so near to it, in s: clocks of models have the rounding of steps.
constexpr double kSameTime = 1e-6;
/// The first and last year in which months may be counted; those before year 1 for the records around it.
constexpr std::int64_t kFirstYear = -1000, kLastYear = 9998;

std::int64_t quotient_down(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::string seconds(double value) { return shortest(value) + " s"; }

}  // namespace

InputAxis::InputAxis(std::vector<double> instants, double end_s, bool is_linear, double cycle_s)
    : instants_(std::move(instants)),
      end_s_(end_s),
      is_static_(false),
      is_linear_(is_linear),
      cycle_s_(cycle_s) {
  check(cycle_s);
}

InputAxis::InputAxis(std::vector<double> instants, const Date& origin, std::int64_t months, bool is_linear,
                     const InputClock& clock)
    : instants_(std::move(instants)),
      is_static_(false),
      is_linear_(is_linear),
      months_(months),
      origin_(origin),
      clock_(clock) {
  check(0);
  const Date first = seconds_later(clock.calendar, origin, std::llround(std::floor(instants_.front())));
  const Date next = months_later(clock.calendar, first, months);
  check(static_cast<double>(seconds_between(clock.calendar, first, next)));
}

/// `length_s`: of the cycle; 0: there is none.
void InputAxis::check(double length_s) const {
  if (instants_.empty()) throw UsageError("it has no record");
  for (std::size_t i = 0; i < instants_.size(); ++i) {
    if (!std::isfinite(instants_[i])) throw UsageError("its time " + std::to_string(i) + " is missing");
    if (i > 0 && !(instants_[i] > instants_[i - 1]))
      throw UsageError("its times do not rise: " + std::to_string(i) +
                       ", counted from 0, is not after the one "
                       "before");
  }
  const double lasts = instants_.back() - instants_.front();
  if (length_s > 0 && lasts >= length_s)
    throw UsageError("its records last for " + seconds(lasts) +
                     " from the first to the last, and the cycle for " + seconds(length_s) +
                     ": a file that comes round has the records of one cycle");
}

std::int64_t InputAxis::in_file(std::int64_t record) const {
  return record - quotient_down(record, size()) * size();
}

double InputAxis::time_s(std::int64_t record) const {
  const std::int64_t cycle = quotient_down(record, size());
  const double instant = instants_[static_cast<std::size_t>(in_file(record))];
  if (months_ == 0) return instant + static_cast<double>(cycle) * cycle_s_;
  const double whole = std::floor(instant);
  const Date date = seconds_later(clock_.calendar, origin_, std::llround(whole));
  const std::int64_t year = date.year + quotient_down(cycle * months_, 12);
  if (cycle != 0 && (year < kFirstYear || year > kLastYear))
    throw UsageError("the records come round up to the year 9998");
  const Date then = months_later(clock_.calendar, date, cycle * months_);
  return static_cast<double>(seconds_between(clock_.calendar, clock_.epoch, then)) + (instant - whole);
}

/// The last record that is not after the time. REQUIRES: it is covered.
std::int64_t InputAxis::last_until(double time_s) const {
  const double at = time_s + (is_linear_ ? 0 : kSameTime);
  std::int64_t low = 0, high = size();  // `low` is one that is not after it, `high` one that is
  if (comes_round()) {
    const double length =
        months_ > 0 ? static_cast<double>(months_) * mean_month_s(clock_.calendar) : cycle_s_;
    const double cycles = std::floor((at - this->time_s(0)) / length);
    if (!(std::fabs(cycles) < 1e12)) throw UsageError("the time is too far away");
    low = (static_cast<std::int64_t>(cycles) - 1) * size();
    high = low + 3 * size();
    while (this->time_s(low) > at) low -= size();
    while (this->time_s(high) <= at) high += size();
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (this->time_s(middle) <= at ? low : high) = middle;
  }
  return low;
}

InputBracket InputAxis::at(double time_s) const {
  if (is_static_) return {};
  if (!std::isfinite(time_s)) throw UsageError("the time is no number");
  if (!comes_round()) {
    const bool is_covered = time_s >= instants_.front() - kSameTime &&
                            (is_linear_ ? time_s <= end_s_ + kSameTime : time_s < end_s_ + kSameTime);
    if (!is_covered) throw UsageError("the file covers " + coverage() + " and not " + seconds(time_s));
    time_s = std::max(time_s, instants_.front());
    if (is_linear_) time_s = std::min(time_s, instants_.back());
  }
  InputBracket bracket{last_until(time_s), 0};
  if (!is_linear_ || (!comes_round() && bracket.first == last())) return bracket;
  const double begin = this->time_s(bracket.first), end = this->time_s(bracket.first + 1);
  bracket.weight = (time_s - begin) / (end - begin);
  return bracket;
}

std::string InputAxis::coverage() const {
  if (is_static_ || comes_round()) return "all times";
  const std::string from = "model time " + seconds(instants_.front());
  return std::isfinite(end_s_) ? from + " to " + seconds(end_s_) : "all times from " + from + " on";
}

void InputAxis::encode(Encoder& out) const {
  out.put(is_static_);
  out.put(is_linear_);
  out.put(instants_);
  out.put(end_s_);
  out.put(cycle_s_);
  out.put(months_);
  out.put(clock_.calendar);
  for (const Date& date : {origin_, clock_.epoch}) {
    out.put(date.year);
    for (const int part : {date.month, date.day, date.hour, date.minute, date.second}) out.put(part);
  }
}

InputAxis InputAxis::decode(Decoder& in) {
  InputAxis axis;
  axis.is_static_ = in.get<std::uint8_t>() != 0;
  axis.is_linear_ = in.get<std::uint8_t>() != 0;
  axis.instants_ = in.get_vector<double>();
  axis.end_s_ = in.get<double>();
  axis.cycle_s_ = in.get<double>();
  axis.months_ = in.get<std::int64_t>();
  axis.clock_.calendar = in.get<Calendar>();
  for (Date* date : {&axis.origin_, &axis.clock_.epoch}) {
    date->year = in.get<std::int64_t>();
    for (int* part : {&date->month, &date->day, &date->hour, &date->minute, &date->second})
      *part = in.get<int>();
  }
  const bool is_known_calendar = is_known(axis.clock_.calendar);
  if (axis.instants_.empty() || axis.months_ < 0 || !is_known_calendar ||
      !date_problem(axis.clock_.calendar, axis.origin_).empty() ||
      !date_problem(axis.clock_.calendar, axis.clock_.epoch).empty())
    throw TransportError("a message holds no time axis of an input");
  return axis;
}

}  // namespace pileus
