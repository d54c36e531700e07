#include "watch/wait_watch.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>

namespace pileus {
namespace {

/// In the time that one is patient.
constexpr double kLooks = 8;
/// Lines that are shown of each kind.
constexpr std::size_t kMostShown = 6;

/// At most kMostShown of each kind.
class Lines {
 public:
  void add(Waits::About about, const std::string& text) {
    if (++counts_[about] <= kMostShown) lines_.emplace_back(about, text);
  }
  /// Each on a line of its own, or all on one.
  std::string text(bool is_one_line) const {
    std::string out;
    for (auto line = lines_.begin(); line != lines_.end(); ++line) {
      out += (is_one_line ? (out.empty() ? " " : "; ") : "\n  ") + line->second;
      const std::size_t count = counts_.at(line->first);
      const bool is_last = line + 1 == lines_.end() || (line + 1)->first != line->first;
      if (!is_last || count <= kMostShown) continue;
      out += (is_one_line ? "; and " : "\n  and ") + std::to_string(count - kMostShown) + " more like these";
    }
    return out;
  }
  bool is_empty() const { return lines_.empty(); }

 private:
  std::vector<std::pair<Waits::About, std::string>> lines_;
  std::map<Waits::About, std::size_t> counts_;
};

double seconds_between(WaitWatch::Clock::time_point from, WaitWatch::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string for_and_since(double lasted_s) {
  return "for " + in_seconds(lasted_s) + " s, since " + time_of_day(lasted_s);
}

}  // namespace

std::string time_of_day(double ago_s) {
  const std::time_t then = std::time(nullptr) - static_cast<std::time_t>(ago_s);
  std::tm utc{};
  gmtime_r(&then, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string in_seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 100 ? "%.3g" : "%.0f", seconds);
  return text;
}

WaitWatch::WaitWatch(double patience_s, WaitHost& host)
    : patience_s_(patience_s), host_(host), book_(patience_s), threads_(patience_s) {}

void WaitWatch::poll(std::uint64_t progress, Clock::time_point now) {
  if (asked_ && asked_->is_complete()) {
    end_look(now);
  } else if (asked_) {
    look_at_threads(now);
  } else if (now >= next_) {
    begin_look(progress, now);
  }
}

void WaitWatch::begin_look(std::uint64_t progress, Clock::time_point now) {
  looked_at_ = progress;
  began_ = now;
  next_ =
      now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience_s_ / kLooks));
  asked_ = std::make_shared<Waits>();
  asked_->add(Waits::About::everything, {"", {static_cast<std::int64_t>(progress)}, "nothing has moved"});
  host_.ask(asked_);
}

void WaitWatch::end_look(Clock::time_point now) {
  const std::vector<Waits::Entry> open = asked_->take();
  asked_ = nullptr;
  say_came(threads_.look({}, now).came);
  const WaitBook::News news = book_.look(open, now);
  for (const WaitBook::Late& late : news.late) host_.say_late(late);
  say_came(news.came);
  if (!news.waiting.empty()) say_waiting(open, news, now);
}

/// A strand has not answered: its threads have not come to it.
void WaitWatch::look_at_threads(Clock::time_point now) {
  const Waits::Entry open{
      Waits::About::threads,
      {"", {0}, "what is to be done in this server waits for its threads: a rule or an operator takes long"}};
  for (const WaitBook::Lasted& one : threads_.look({open}, now).waiting) {
    const std::string line = one.text + "; " + for_and_since(one.lasted_s);
    host_.say(WaitHost::Said::waiting, line, line, one.lasted_s);
  }
}

std::string WaitWatch::line_of(const Waits::Entry& open, Clock::time_point now) const {
  if (open.is_note) return open.wait.text;
  return open.wait.text + "; " + for_and_since(seconds_between(book_.since(open), now));
}

/// When nothing moves, all that is open; else what is news.
void WaitWatch::say_waiting(const std::vector<Waits::Entry>& open, const WaitBook::News& news,
                            Clock::time_point now) {
  const auto stall = std::ranges::find(news.waiting, Waits::About::everything, &WaitBook::Lasted::about);
  const bool is_stall = stall != news.waiting.end();
  std::string head = "this waits while other things move:";
  double lasted_s = 0;
  Lines lines;
  if (is_stall) {
    head = "nothing has moved " + for_and_since(stall->lasted_s) + ":";
    lasted_s = stall->lasted_s;
    for (const Waits::Entry& one : open) {
      if (one.about != Waits::About::everything) lines.add(one.about, line_of(one, now));
    }
    if (lines.is_empty()) head += " this server has all that it needs and waits for the others";
    book_.all_said(now);
  }
  for (const WaitBook::Lasted& one : news.waiting) {
    if (is_stall) break;
    lasted_s = std::max(lasted_s, one.lasted_s);
    lines.add(one.about, one.text + "; " + for_and_since(one.lasted_s));
  }
  host_.say(WaitHost::Said::waiting, head + lines.text(false), head + lines.text(true), lasted_s);
}

void WaitWatch::say_came(const std::vector<WaitBook::Lasted>& came) {
  Lines lines;
  double lasted_s = 0;
  for (const WaitBook::Lasted& one : came) {
    lasted_s = std::max(lasted_s, one.lasted_s);
    const bool is_stall = one.about == Waits::About::everything;
    lines.add(one.about, (is_stall ? "something moves again" : "came") +
                             (" after " + in_seconds(one.lasted_s)) + " s" +
                             (is_stall ? "" : ": " + one.text));
  }
  if (lines.is_empty()) return;
  const std::string head = "the wait is over:";
  host_.say(WaitHost::Said::came, head + lines.text(false), head + lines.text(true), lasted_s);
}

bool WaitWatch::is_through(std::uint64_t progress, Clock::time_point now) {
  if (asked_) return false;
  if (looked_at_ == progress || !book_.has_said()) return true;
  begin_look(progress, now);
  return false;
}

std::vector<RunReport::Wait> WaitWatch::longest(ServerRank self, Clock::time_point now) const {
  std::vector<WaitBook::Lasted> all = book_.longest(now);
  for (WaitBook::Lasted& one : threads_.longest(now)) all.push_back(std::move(one));
  std::vector<RunReport::Wait> waits;
  for (const WaitBook::Lasted& one : all) {
    const double ago_s = seconds_between(one.since, now);
    waits.push_back({self, one.has_come ? 1U : 0U, one.lasted_s, time_of_day(ago_s), one.text});
  }
  return waits;
}

}  // namespace pileus
