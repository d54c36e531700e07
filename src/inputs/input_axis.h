#pragma once
// When the records of an input are, in model time: which of them a value is made of at some time, also where
// they come round again. Server and model rank answer alike, as the axis goes to the rank.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/calendar.h"
#include "core/encoder.h"

namespace pileus {

/// The date of model time 0. Without one, times of files count from model time 0.
struct InputClock {
  Calendar calendar = Calendar::proleptic_gregorian;
  Date epoch = {2000, 1, 1, 0, 0, 0};
  bool has_epoch = false;
};

/// After how long the records come round: seconds, or months of the calendar. Neither: they do not.
struct InputCycle {
  double seconds = 0;
  std::int64_t months = 0;
  bool is_given() const { return seconds > 0 || months > 0; }
  friend bool operator==(const InputCycle&, const InputCycle&) = default;
};

/// Of what a value is made at some time: (1 - weight) times one record and weight times the next.
struct InputBracket {
  std::int64_t first = 0;
  double weight = 0;  ///< 0: of the first alone
  std::int64_t last() const { return weight > 0 ? first + 1 : first; }
};

/// Records are numbered on and on where they come round: record n is that of n modulo size() in the file.
class InputAxis {
 public:
  /// Values that do not change: one record.
  InputAxis() = default;
  /// `instants`: s of model time, rising. `end_s`: until when they count. Between two records a value lies on
  /// the line through both if `is_linear`, otherwise the earlier one holds. `cycle`: in seconds, or none.
  /// Errors: UsageError for instants that do not rise, or that last longer than the cycle.
  InputAxis(std::vector<double> instants, double end_s, bool is_linear, double cycle_s = 0);
  /// A cycle of months. `instants`: s after `origin`. Errors: likewise.
  InputAxis(std::vector<double> instants, const Date& origin, std::int64_t months, bool is_linear,
            const InputClock& clock);

  bool is_static() const { return is_static_; }
  bool is_linear() const { return is_linear_; }
  bool comes_round() const { return cycle_s_ > 0 || months_ > 0; }
  std::int64_t size() const { return static_cast<std::int64_t>(instants_.size()); }
  /// The last record that there is. REQUIRES: they do not come round.
  std::int64_t last() const { return size() - 1; }
  /// Where a record lies in the file.
  std::int64_t in_file(std::int64_t record) const;
  /// When the record is, in s of model time. REQUIRES: unless they come round, it is one of size().
  double time_s(std::int64_t record) const;
  /// Errors: UsageError for a time that they do not cover; the text says which times they do.
  InputBracket at(double time_s) const;
  /// "model time 0 s to 86400 s".
  std::string coverage() const;

  void encode(Encoder& out) const;
  /// Errors: TransportError where the bytes are no axis.
  static InputAxis decode(Decoder& in);

 private:
  void check(double length_s) const;
  std::int64_t last_until(double time_s) const;

  std::vector<double> instants_ = {0};  ///< of one cycle; of months s after origin_
  double end_s_ = std::numeric_limits<double>::infinity();
  bool is_static_ = true, is_linear_ = false;
  double cycle_s_ = 0;
  std::int64_t months_ = 0;
  Date origin_;
  InputClock clock_;
};

}  // namespace pileus
