#include "report/trace.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/component_path.h"
#include "core/error.h"
#include "core/log.h"

namespace pileus {
namespace {

constexpr std::size_t kMuch = 64 * 1024;
/// In memory, where the disk does not take it.
constexpr std::size_t kMostWaiting = std::size_t{8} << 20;
constexpr std::chrono::seconds kWhile{1};
/// Numbers of threads that are none: one for each model rank. Larger than those of the system, and viewers
/// have 32 bits for them.
constexpr std::int64_t kFirstRank = std::int64_t{1} << 24;

/// Process 0 and thread 0 are for viewers what runs when nothing does.
std::int64_t process_of(ServerRank server) { return std::int64_t{server} + 1; }

constexpr double kMicrosecondsOfDay = 86'400e6;

std::int64_t this_thread() {
  thread_local const std::int64_t number = ::syscall(SYS_gettid);
  return number;
}

void append_number(std::string& text, std::int64_t value) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Three decimals, the nanoseconds. Whole numbers are written much faster than others.
void append_number(std::string& text, double value) {
  constexpr double kMostWhole = 9e15;
  if (!(std::abs(value) < kMostWhole)) {
    char digits[400];
    text.append(digits,
                std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3).ptr);
    return;
  }
  const std::int64_t thousandths = std::llround(1e3 * value);
  if (thousandths < 0) text += '-';
  const std::int64_t size = std::abs(thousandths);
  append_number(text, size / 1000);
  const auto digit = [&](std::int64_t of) { return static_cast<char>('0' + of % 10); };
  const char decimals[] = {'.', digit(size / 100), digit(size / 10), digit(size)};
  text.append(decimals, sizeof decimals);
}

void append_quoted(std::string& text, std::string_view of) {
  text += '"';
  for (const char c : of) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  text += '"';
}

}  // namespace

Trace::Trace(const std::string& path, ServerRank self, std::uint64_t most_bytes)
    : path_(path), self_(self), most_bytes_(most_bytes), began_(Clock::now()), next_write_(began_ + kWhile) {
  const auto of_day = std::chrono::system_clock::now().time_since_epoch() % std::chrono::hours(24);
  began_of_day_us_ = std::chrono::duration<double, std::micro>(of_day).count();
  file_.open(path, std::ios::trunc);
  waiting_ = "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" + std::to_string(process_of(self)) +
             ",\"args\":{\"name\":\"server " + std::to_string(self) + "\"}}";
  file_ << std::exchange(waiting_, "") << std::flush;
  if (!file_) throw OutputError(path + ": could not be written: " + std::strerror(errno));
}

double Trace::microseconds(Clock::time_point at) const {
  const double us = began_of_day_us_ + std::chrono::duration<double, std::micro>(at - began_).count();
  return std::max(us, 0.0);
}

/// Of the rounded ends, so that what lies within another span, or beside it, does so in the file too.
double Trace::duration(Clock::time_point began, Clock::time_point ended) const {
  return std::max(0.0,
                  1e-3 * (std::round(1e3 * microseconds(ended)) - std::round(1e3 * microseconds(began))));
}

std::string Trace::head(char phase, std::string_view name, Clock::time_point at, std::int64_t thread) const {
  std::string event;
  event.reserve(192);
  event += ",\n{\"name\":";
  append_quoted(event, name);
  event += ",\"ph\":\"";
  event += phase;
  event += "\",\"pid\":";
  append_number(event, process_of(self_));
  event += ",\"tid\":";
  append_number(event, thread);
  event += ",\"ts\":";
  append_number(event, microseconds(at));
  return event;
}

/// What there is no memory for is left out: no run fails because of its trace.
template <class Add>
void Trace::surely(const Add& add) noexcept {
  try {
    add();
  } catch (...) {
  }
}

/// Threads are named with their first event.
void Trace::span(std::string_view thread, std::string_view name, Clock::time_point began,
                 Clock::time_point ended, std::string_view about) noexcept {
  surely([&] {
    const std::int64_t number = this_thread();
    std::string event = head('X', name, began, number);
    event += ",\"dur\":";
    append_number(event, duration(began, ended));
    if (!about.empty()) {
      event += ",\"args\":{\"about\":";
      append_quoted(event, about);
      event += '}';
    }
    event += '}';
    const std::lock_guard lock(mutex_);
    if (named_.insert(number).second) {
      std::string name_event = head('M', "thread_name", began, number) + ",\"args\":{\"name\":";
      append_quoted(name_event, thread);
      add(name_event + "}}");
    }
    add(std::move(event));
  });
}

void Trace::number(std::string_view name, Clock::time_point now, double value) noexcept {
  surely([&] {
    std::string event = head('C', name, now, process_of(self_)) + ",\"args\":{\"value\":";
    append_number(event, value);
    const std::lock_guard lock(mutex_);
    add(event + "}}");
  });
}

void Trace::begin_step(std::int64_t step, Clock::time_point now) noexcept {
  surely([&] {
    open_.push_back(step);
    const std::lock_guard lock(mutex_);
    add(head('b', "step " + std::to_string(step), now, process_of(self_)) +
        ",\"cat\":\"step\",\"id\":" + std::to_string(step) + "}");
  });
}

void Trace::end_steps(std::uint64_t done, Clock::time_point now) noexcept {
  surely([&] {
    for (; done_ < done && !open_.empty(); ++done_, open_.pop_front()) {
      const std::string step = std::to_string(open_.front());
      const std::lock_guard lock(mutex_);
      add(head('e', "step " + step, now, process_of(self_)) + ",\"cat\":\"step\",\"id\":" + step + "}");
    }
  });
}

/// The wait ended before the message that tells of it; no later than when that came.
void Trace::rank_waited(ClientRank rank, std::chrono::milliseconds longer, Clock::time_point now) noexcept {
  surely([&] {
    const Clock::time_point began = std::max({now - longer, waited_until_[rank], began_});
    waited_until_[rank] = now;
    const std::int64_t number = kFirstRank + rank;
    std::string event = head('X', "waits for memory", began, number) + ",\"dur\":";
    append_number(event, duration(began, now));
    const std::lock_guard lock(mutex_);
    if (named_.insert(number).second) {
      add(head('M', "thread_name", began, number) + ",\"args\":{\"name\":\"model rank " +
          std::to_string(rank) + "\"}}");
    }
    add(event + "}");
  });
}

/// REQUIRES: the caller has the mutex.
void Trace::add(std::string event) {
  if (is_cut_) return;
  if (taken_bytes_ + event.size() > most_bytes_ || waiting_.size() > kMostWaiting) {
    is_cut_ = true;
    const char* const why = taken_bytes_ + event.size() > most_bytes_
                                ? "the trace ends here, as its file is as long as it may be"
                                : "the trace ends here, as the disk did not take it as fast as it came";
    event = head('i', why, Clock::now(), process_of(self_)) + ",\"s\":\"g\"}";
  }
  taken_bytes_ += event.size();
  waiting_ += event;
}

bool Trace::asks_to_write(Clock::time_point now) {
  if (is_writing_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  if (waiting_.empty() || (waiting_.size() < kMuch && now < next_write_)) return false;
  next_write_ = now + kWhile;
  is_writing_.store(true, std::memory_order_relaxed);
  return true;
}

void Trace::write() noexcept {
  surely([&] {
    const std::lock_guard file_lock(file_mutex_);
    std::string taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(waiting_);
    }
    file_ << taken << std::flush;
    if (!file_ && !std::exchange(has_failed_, true))
      log::warning(path_ + ": the trace ends, as it could not be written: " + std::strerror(errno));
  });
  is_writing_.store(false, std::memory_order_release);
}

void Trace::finish() noexcept {
  surely([&] {
    const std::lock_guard lock(mutex_);
    is_cut_ = true;
  });
  write();
  surely([&] {
    const std::lock_guard file_lock(file_mutex_);
    file_ << "\n]\n" << std::flush;
  });
}

std::string trace_path(const std::string& named, ServerRank self, const std::string& component) {
  std::error_code problem;
  if (std::filesystem::is_directory(named, problem))
    return (std::filesystem::path(named) /
            ("pileus-trace-" + (component.empty() ? "" : component + "-") + std::to_string(self) + ".json"))
        .string();
  const std::string path = path_of_component(named, component);
  return self == 0 ? path : path + "." + std::to_string(self);
}

std::unique_ptr<Trace> trace_from_environment(ServerRank self, const std::string& component) {
  const char* const named = std::getenv("PILEUS_TRACE");
  if (named == nullptr || *named == '\0') return nullptr;
  try {
    return std::make_unique<Trace>(trace_path(named, self, component), self);
  } catch (const OutputError& error) {
    log::warning(std::string("no trace is written (PILEUS_TRACE): ") + error.what());
    return nullptr;
  }
}

}  // namespace pileus
