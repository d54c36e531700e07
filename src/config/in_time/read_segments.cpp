#include "config/in_time/read_segments.h"

#include <initializer_list>
#include <string>

#include "config/messages.h"
#include "config/values.h"
#include "core/manipulation.h"
#include "core/shortest.h"

namespace pileus {
namespace {

constexpr std::initializer_list<const char*> kOfSegments = {"samples", "interval", "window", "detrend",
                                                            "overlap"};
/// Each element keeps them.
constexpr std::int64_t kMostSamples = 65536;
constexpr double kLongestMonth_s = 31 * 86400.0;

class Segments {
 public:
  Segments(const ElementReader& include, FileIncludeConfig& out) : include_(include), out_(out) {}

  void read() {
    if (out_.time_manipulation.value != kSpectrum) return refuse_without();
    SegmentsConfig& segments = out_.segments;
    segments.window = include_.text("window").value;
    segments.detrend = include_.text("detrend").value;
    segments.are_overlapping = include_.text("overlap").value == "half";
    if (!include_.is_given("samples"))
      return wrong(out_.time_manipulation.where,
                   "time_spectrum needs the number of samples of a segment, such as samples=\"256\"");
    const std::int64_t samples = include_.integer("samples").value_or(0);
    if (!include_.is_usable("samples") || !has_interval()) return;
    const Location& where = include_.text("samples").where;
    if (samples < 2 || samples > kMostSamples)
      return wrong(where, "a segment has 2 to " + std::to_string(kMostSamples) + " samples, and not " +
                              std::to_string(samples) + ": each element keeps them");
    if (include_.is_given("group"))
      return wrong(include_.text("group").where,
                   "time_spectrum is of one field: write an include with field=\"...\" for each");
    // Three times 2.1 is a little more than 6.3.
    const double taken_s = static_cast<double>(samples) * segments.interval_s * (1 - 1e-9);
    if (const double covered_s = longest_s(); covered_s > 0 && covered_s < taken_s)
      return wrong(where, "a segment of " + std::to_string(samples) + " samples every " +
                              shortest(segments.interval_s) + " s is longer than what a record is made of, " +
                              shortest(covered_s) + " s");
    segments.samples = samples;
  }

 private:
  static constexpr const char* kSpectrum = "time_spectrum";

  void wrong(const Location& where, const std::string& what) const { include_.error(where, what); }

  void refuse_without() const {
    for (const char* const one : kOfSegments) {
      if (!include_.is_given(one)) continue;
      return wrong(include_.text(one).where,
                   std::string(one) + " goes with time_manipulation=" + in_quotes(kSpectrum) + ": remove it");
    }
  }

  bool has_interval() const {
    double& interval_s = out_.segments.interval_s;
    if (out_.stages.empty()) {
      const std::optional<Duration> given = include_.duration("interval");
      if (!given) {
        if (!include_.is_given("interval"))
          wrong(out_.time_manipulation.where,
                "time_spectrum needs the model time from one sample to the next, such as interval=\"10 s\": "
                "the length of steps, where samples come in each");
        return false;
      }
      if (given->months > 0 || !given->is_given()) {
        wrong(given->where, "interval is a time that is always the same, in seconds, minutes, hours or days");
        return false;
      }
      interval_s = given->seconds;
      return true;
    }
    const Duration& period = out_.stages.back().period;
    if (include_.is_given("interval") || period.months > 0) {
      wrong(include_.is_given("interval") ? include_.text("interval").where : out_.time_manipulation.where,
            period.months > 0 ? "months differ in length, and time_spectrum needs samples at even times"
                              : "a sample is a record of the stage before, so the interval is its period: "
                                "remove interval");
      return false;
    }
    interval_s = period.seconds;
    return true;
  }

  /// What a record may be made of at the most; 0: unknown.
  double longest_s() const {
    const Duration& period = out_.over.is_given() ? out_.over : out_.output_frequency.value_or(Duration{});
    return period.months > 0 ? static_cast<double>(period.months) * kLongestMonth_s : period.seconds;
  }

  const ElementReader& include_;
  FileIncludeConfig& out_;
};

}  // namespace

void read_segments(const ElementReader& include, FileIncludeConfig& out) {
  if (include.is_usable("time_manipulation") || !include.is_given("time_manipulation"))
    Segments(include, out).read();
}

}  // namespace pileus
