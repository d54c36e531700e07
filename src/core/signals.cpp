#include "core/signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <system_error>

#include "core/error.h"

namespace pileus {
namespace {

constexpr std::array<int, 6> kNumbers = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};

/// One signal of this process, with all its watches: signals belong to the process, whoever watches them.
struct Caught {
  std::atomic<std::int64_t> count = 0;
  int watches = 0;
  struct sigaction before = {};  ///< valid while there are watches, and read by the handler then
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may not wait");

std::array<Caught, kNumbers.size()> caught;
std::mutex mutex;  // guards `watches` and who holds a signal: runs of several threads may begin at once

Caught& caught_of(int number) {
  std::size_t i = 0;
  while (kNumbers[i] != number) ++i;
  return caught[i];
}

/// The handler is async-signal-safe: it only counts, and calls the handler of before.
void note_signal(int number, siginfo_t* info, void* context) {
  const int error = errno;
  Caught& here = caught_of(number);
  here.count.fetch_add(1);
  const struct sigaction& before = here.before;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  }
  errno = error;
}

void take_signal(int number) {
  Caught& here = caught_of(number);
  if (here.watches++ > 0) return;
  sigaction(number, nullptr, &here.before);  // the handler may run as soon as it is there
  struct sigaction ours = {};
  ours.sa_sigaction = note_signal;
  ours.sa_mask = here.before.sa_mask;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | (here.before.sa_flags & SA_ONSTACK);
  if (sigaction(number, &ours, nullptr) == 0) return;
  --here.watches;
  throw UsageError("cannot catch signal " + std::to_string(number) + ": " +
                   std::generic_category().message(errno));
}

void give_back(int number) noexcept {
  Caught& here = caught_of(number);
  if (--here.watches > 0) return;
  struct sigaction now = {};
  sigaction(number, nullptr, &now);
  const bool is_ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == note_signal;
  if (is_ours) sigaction(number, &here.before, nullptr);
}

}  // namespace

const std::vector<std::string>& signal_words() {
  static const std::vector<std::string> words = {"HUP", "INT", "TERM", "USR1", "USR2", "XCPU"};
  return words;
}

std::optional<int> signal_number(std::string_view word) {
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    if (signal_words()[i] == word) return kNumbers[i];
  }
  return std::nullopt;
}

SignalWatch::SignalWatch(std::span<const std::string> words) {
  const std::lock_guard lock(mutex);
  try {
    for (const std::string& word : words) {
      take_signal(*signal_number(word));
      numbers_.push_back(*signal_number(word));
    }
  } catch (...) {
    release();
    throw;
  }
  before_ = count();
}

SignalWatch::~SignalWatch() {
  const std::lock_guard lock(mutex);
  release();
}

void SignalWatch::release() noexcept {
  for (const int number : numbers_) give_back(number);
}

std::int64_t SignalWatch::count() const {
  std::int64_t sum = -before_;
  for (const int number : numbers_) sum += caught_of(number).count.load();
  return sum;
}

}  // namespace pileus
