#include "core/log_lane.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace pileus::log {
namespace {

/// Ends a line that is longer than all that may wait.
constexpr std::string_view kCut = " ... (the rest is left out)\n";

/// Blocks all signals as long as it lives, as other threads handle them. A write to a pipe whose reader has
/// gone then fails with EPIPE.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

/// Returns how many bytes of `text` it wrote at once, or -1 if nothing can ever be written.
std::ptrdiff_t write_some(int descriptor, std::string_view text) {
  if (descriptor < 0) return -1;
  while (true) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) return written;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd waits = {descriptor, POLLOUT, 0};
      ::poll(&waits, 1, -1);
    } else if (errno != EINTR) {
      return -1;
    }
  }
}

}  // namespace

struct LogLane::State {
  Open open;
  TellDropped tell_dropped;
  std::size_t most_bytes;

  std::mutex mutex;  // guards what follows: any thread writes lines, the lane's thread takes them
  std::condition_variable has_changed;
  std::string waiting;
  std::size_t under_way = 0;  ///< bytes that the thread has taken and not written
  std::int64_t written = 0;   ///< written bytes; a growing number shows that the reader takes some
  std::int64_t dropped = 0, dropped_untold = 0;
  bool has_thread = false, is_ending = false;

  bool is_empty() const { return waiting.empty() && under_way == 0; }
};

LogLane::LogLane(Open open, TellDropped tell_dropped, std::size_t most_bytes)
    : state_(std::make_shared<State>()) {
  state_->open = std::move(open);
  state_->tell_dropped = std::move(tell_dropped);
  state_->most_bytes = most_bytes;
}

LogLane::~LogLane() {
  flush(std::chrono::seconds(1));
  const std::lock_guard lock(state_->mutex);
  state_->is_ending = true;
  state_->has_changed.notify_all();
}

void LogLane::write(std::string text) {
  const std::lock_guard lock(state_->mutex);
  if (state_->is_empty() && text.size() > state_->most_bytes) {
    text.resize(state_->most_bytes - kCut.size());
    text += kCut;
  }
  if (state_->waiting.size() + state_->under_way + text.size() > state_->most_bytes) {
    ++state_->dropped;
    ++state_->dropped_untold;
    return;
  }
  if (std::exchange(state_->dropped_untold, 0) > 0) state_->waiting += state_->tell_dropped(state_->dropped);
  state_->waiting += text;
  if (!state_->has_thread) {
    const NoSignals inherited;
    try {
      std::thread([state = state_] { run(state); }).detach();
      state_->has_thread = true;
    } catch (const std::system_error&) {
      // There is no thread to be had, so the caller writes, as in a process that has only one thread.
      write_some(state_->open(), state_->waiting);
      state_->waiting.clear();
    }
  }
  state_->has_changed.notify_all();
}

bool LogLane::flush(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  while (!state_->is_empty()) {
    const std::int64_t before = state_->written;
    const auto moved = [&] { return state_->is_empty() || state_->written != before; };
    if (!state_->has_changed.wait_for(lock, patience, moved)) return false;
  }
  return true;
}

std::int64_t LogLane::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

void LogLane::run(const std::shared_ptr<State>& state) {
  const int descriptor = state->open();
  std::unique_lock lock(state->mutex);
  while (true) {
    state->has_changed.wait(lock, [&] { return state->is_ending || !state->waiting.empty(); });
    if (state->waiting.empty()) return;
    const std::string text = std::exchange(state->waiting, {});
    std::string_view rest = text;
    while (!rest.empty()) {
      state->under_way = rest.size();
      lock.unlock();
      const std::ptrdiff_t count = write_some(descriptor, rest);
      lock.lock();
      rest.remove_prefix(count < 0 ? rest.size() : static_cast<std::size_t>(count));
      state->written += count < 0 ? 0 : count;
      state->under_way = rest.size();
      state->has_changed.notify_all();
    }
  }
}

}  // namespace pileus::log
