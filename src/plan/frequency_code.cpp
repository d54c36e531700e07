#include "plan/frequency_code.h"

#include <algorithm>

#include "config/values.h"

namespace pileus {

void encode_frequency(Encoder& out, const Frequency& frequency) {
  out.put(frequency.seconds);
  out.put(frequency.months);
  if (frequency.months == 0) return;
  out.put(frequency.calendar);
  const Date& epoch = frequency.epoch;
  out.put(epoch.year);
  for (int part : {epoch.month, epoch.day, epoch.hour, epoch.minute, epoch.second, frequency.from_month})
    out.put(part);
}

Frequency decode_frequency(Decoder& in) {
  Frequency frequency(in.get<double>());
  frequency.months = in.get<std::int64_t>();
  if (frequency.months == 0 && frequency.seconds >= 0) return frequency;
  if (frequency.months < 0 || frequency.months > kMostMonths || frequency.seconds != 0)
    throw TransportError("a message holds a frequency of no meaning");
  frequency.calendar = in.get<Calendar>();
  Date& epoch = frequency.epoch;
  epoch.year = in.get<std::int64_t>();
  for (int* part : {&epoch.month, &epoch.day, &epoch.hour, &epoch.minute, &epoch.second})
    *part = in.get<int>();
  frequency.from_month = in.get<int>();
  if (frequency.from_month < 0 || frequency.from_month > std::min<std::int64_t>(frequency.months, 12))
    throw TransportError("a message begins months with no month");
  if (!is_known(frequency.calendar) || !date_problem(frequency.calendar, epoch).empty())
    throw TransportError("a message counts months from no date");
  return frequency;
}

void encode_cadence(Encoder& out, const Cadence& cadence) {
  out.put(cadence.steps);
  out.put(cadence.every.seconds);
}

Cadence decode_cadence(Decoder& in) {
  const auto steps = in.get<std::int64_t>();
  const auto every_s = in.get<double>();
  const bool is_of_time = every_s != 0;
  const bool has_meaning =
      is_of_time ? steps == 1 && every_s >= kShortestTime_s && every_s <= kLongestTime_s : steps >= 0;
  if (!has_meaning) throw TransportError("a message holds a number of steps of no meaning");
  return is_of_time ? Cadence::of_time(every_s) : Cadence(steps);
}

}  // namespace pileus
