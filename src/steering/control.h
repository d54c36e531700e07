#pragma once
// What people ask for while the run goes: files without records, or with fewer, from some step on.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dropped/dropped_axes.h"
#include "core/encoder.h"
#include "core/step.h"
#include "plan/plan.h"
#include "time/schedule_cursor.h"

namespace pileus {

/// The file below a run's directory with what is asked for, a line each: "off w.nc", "on w.nc",
/// "frequency w.nc 60" in s of model time.
inline constexpr const char* kControlFile = "pileus-control.txt";

struct ControlRequest {
  std::string text;  ///< as it was asked, or its beginning
  std::string verb, file;
  double frequency_s = 0;
  std::uint64_t through = 0;  ///< bytes of the file up to its end
  friend bool operator==(const ControlRequest&, const ControlRequest&) = default;
};

/// Of one line. Its verb is "" if it is none.
ControlRequest read_request(std::string_view line);
std::string line_of(const ControlRequest& request);

class Control {
 public:
  /// REQUIRES: it outlives it.
  explicit Control(const Plan& plan) : plan_(plan), files_(plan.files.size()) {}

  /// Why it cannot be done; "" if it counts from now on.
  std::string take(const ControlRequest& request);
  /// Adds the axes that get no record of the step.
  void add_dropped(const Step& step, DroppedAxes& dropped);

  /// What was there before the run.
  void skip(std::uint64_t through) { through_ = through; }
  bool has_any() const { return through_ > 0; }
  std::uint64_t through() const { return through_; }
  void encode(Encoder& out) const;
  /// What cannot be done any more is left out, with a warning. Errors: TransportError if that is no state.
  void restore(Decoder& in);

 private:
  struct OfAxis {
    ScheduleCursor cursor;  ///< says which steps give a record
    double last_s = 0;      ///< of the last record
  };
  struct OfFile {
    bool is_off = false;
    double frequency_s = 0;         ///< 0: as configured
    std::vector<OfAxis> axes = {};  ///< where it has another frequency
  };
  void slow_down(std::size_t file, double frequency_s);
  void add_dropped(const Step& step, std::size_t file, DroppedAxes& dropped);
  std::string problem_of(const ControlRequest& request) const;
  std::string problem_of_file(std::size_t file) const;
  std::optional<std::size_t> find(const std::string& name) const;

  const Plan& plan_;
  std::vector<OfFile> files_;
  double time_s_ = 0;  ///< of the step before
  std::uint64_t through_ = 0;
};

}  // namespace pileus
