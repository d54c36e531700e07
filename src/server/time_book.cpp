#include "server/time_book.h"

#include <algorithm>

#include "report/process_memory.h"
#include "server/wiring.h"

namespace pileus {
namespace {

constexpr std::size_t kMostPoints = 256, kLeastPoints = 16;
/// Of all servers together.
constexpr std::size_t kMostOfAll = 65'536;
/// A look takes some 10 µs: a thousandth of this.
constexpr double kFirstInterval_s = 0.01;
constexpr std::chrono::milliseconds kNumbersEvery{20};

}  // namespace

TimeBook::TimeBook(ServerState& state, const RunClock& clock)
    : state_(state), clock_(clock), timeline_(kMostPoints, kFirstInterval_s) {}

void TimeBook::note_waited(ClientRank client, std::uint32_t waited_ms) {
  std::uint32_t& known = waited_ms_[client];
  if (waited_ms <= known) return;
  if (state_.trace)
    state_.trace->rank_waited(client, std::chrono::milliseconds(waited_ms - known), Trace::Clock::now());
  known = waited_ms;
}

double TimeBook::now_s() const { return std::chrono::duration<double>(state_.now() - began_).count(); }

void TimeBook::look() {
  const double now = now_s();
  if (timeline_.is_due(now)) timeline_.add(point(now));
  if (state_.trace) look_at_trace(*state_.trace);
}

/// The trace has its own number of points, as it is of a bounded size whatever it holds.
void TimeBook::look_at_trace(Trace& trace) {
  Wiring& wiring = *state_.wiring;
  const Trace::Clock::time_point now = Trace::Clock::now();
  trace.end_steps(wiring.open_steps.done(), now);
  if (now >= next_numbers_) {
    next_numbers_ = now + kNumbersEvery;
    trace.number("held of the model (bytes)", now, static_cast<double>(wiring.activity.parcel_bytes.held()));
    trace.number("memory (bytes)", now, static_cast<double>(memory_now_bytes()));
  }
  if (trace.asks_to_write(now)) wiring.telling.submit([&trace] { trace.write(); });
}

TimelinePoint TimeBook::point(double end_s) {
  Wiring& wiring = *state_.wiring;
  Activity& activity = wiring.activity;
  TimelinePoint point;
  point.end_s = end_s;
  const std::uint64_t steps = wiring.open_steps.opened() + clock_.held_back();
  point.steps = static_cast<double>(steps);
  point.open_steps = static_cast<double>(steps - wiring.open_steps.done());
  point.parcel_bytes = static_cast<double>(activity.parcel_bytes.take_recent_most());
  point.record_bytes = static_cast<double>(activity.record_bytes.take_recent_most());
  point.tasks = static_cast<double>(activity.tasks.take_recent_most());
  point.memory_bytes = static_cast<double>(memory_now_bytes());
  for (const auto& [client, waited_ms] : waited_ms_) point.waiting_s += 1e-3 * waited_ms;
  // Workers that begin or end just now are counted by halves.
  point.busy_s = last_busy_s_ =
      std::clamp(activity.busy_s(Activity::Clock::now()), last_busy_s_, std::max(last_busy_s_, end_s));
  point.analysis_s = activity.spent_s(Work::analysis);
  point.messages_s = activity.spent_s(Work::messages);
  point.writing_s = activity.spent_s(Work::records) + activity.spent_s(Work::disk);
  return point;
}

std::vector<TimelinePoint> TimeBook::points() {
  timeline_.add(point(now_s()));
  std::vector<TimelinePoint> points = timeline_.points();
  thin(points, std::clamp(kMostOfAll / state_.settings.servers.size(), kLeastPoints, kMostPoints));
  return points;
}

}  // namespace pileus
