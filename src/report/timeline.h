#pragma once
// What one server was at over the time of a run, in a bounded number of points: the longer the run, the more
// time each of them stands for. Says nothing of the results, and nothing in the results depends on it.

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace pileus {

/// A stretch of time that begins where the point before ends. The first begins when the model is told to go
/// on.
struct TimelinePoint {
  double end_s = 0;
  // The most in that time:
  double open_steps = 0;    ///< of the model's clock, that this server was not done with
  double parcel_bytes = 0;  ///< held, of what its model ranks handed over
  double record_bytes = 0;  ///< held, of records that windows made
  double tasks = 0;         ///< that waited or ran
  double memory_bytes = 0;  ///< of the process
  // From the beginning of the run to the end of that time:
  double steps = 0;      ///< of the model's clock that have come to this server
  double waiting_s = 0;  ///< of its model ranks for memory, as far as they have said
  double busy_s = 0;     ///< with anything to do, on any thread
  double analysis_s = 0, messages_s = 0, writing_s = 0;  ///< summed over threads
};

/// How reports call a number of a point, how many decimals it has there, and whether it is the most in the
/// time of the point or grows over the run.
struct TimelineColumn {
  std::string_view name;
  double TimelinePoint::*value;
  bool is_most;
  int decimals;
};
inline constexpr std::array<TimelineColumn, 12> kTimelineColumns = {{
    {"end_s", &TimelinePoint::end_s, false, 4},
    {"steps", &TimelinePoint::steps, false, 0},
    {"open_steps", &TimelinePoint::open_steps, true, 0},
    {"parcel_bytes", &TimelinePoint::parcel_bytes, true, 0},
    {"record_bytes", &TimelinePoint::record_bytes, true, 0},
    {"tasks", &TimelinePoint::tasks, true, 0},
    {"memory_bytes", &TimelinePoint::memory_bytes, true, 0},
    {"waiting_s", &TimelinePoint::waiting_s, false, 4},
    {"busy_s", &TimelinePoint::busy_s, false, 4},
    {"analysis_s", &TimelinePoint::analysis_s, false, 4},
    {"messages_s", &TimelinePoint::messages_s, false, 4},
    {"writing_s", &TimelinePoint::writing_s, false, 4},
}};
static_assert(sizeof(TimelinePoint) == kTimelineColumns.size() * sizeof(double));

/// Both points as one: the later one's time and sums, the most of either.
TimelinePoint together(const TimelinePoint& earlier, const TimelinePoint& later);
/// Pairs of neighbours become one point until there are at most so many. REQUIRES: most > 0.
void thin(std::vector<TimelinePoint>& points, std::size_t most);

class Timeline {
 public:
  /// At most so many points, the first ones so long apart. REQUIRES: most_points > 1, interval_s > 0.
  Timeline(std::size_t most_points, double interval_s);

  /// Whether it is time for a point that ends then.
  bool is_due(double end_s) const { return end_s >= next_s_; }
  /// Order: by growing end; a point that ends no later than the last one is taken into that.
  void add(const TimelinePoint& point);

  const std::vector<TimelinePoint>& points() const { return points_; }

 private:
  std::size_t most_points_;
  double interval_s_, next_s_;
  std::vector<TimelinePoint> points_;
};

}  // namespace pileus
