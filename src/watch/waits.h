#pragma once
// What a server waits for: collected from all strands that know something, for people who look at a job that
// seems to hang, or is slow. wait_book.h finds out for how long.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/wait.h"

namespace pileus {

/// Says while a stall lasts that it is one, at intervals that grow. A model may be as slow as it likes: after
/// each stall that was said the next one has to last twice as long.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;
  explicit StallWatch(double patience_s) : patience_(patience_s) {}

  /// `progress`: a number that changes when anything moves. True when it has stood still for as long as one
  /// is patient, then for twice, four times as long.
  bool is_due(std::uint64_t progress, Clock::time_point now) {
    if (progress != progress_ || !began_) {
      progress_ = progress;
      began_ = now;
      next_ = patience_;
      was_said_ = false;
    }
    if (now - *began_ < next_) return false;
    said_after_ = next_;
    next_ *= 2;
    if (!std::exchange(was_said_, true)) patience_ *= 2;
    return true;
  }
  /// How long the stall had lasted when it was said last.
  double said_after_s() const { return said_after_.count(); }

 private:
  std::chrono::duration<double> patience_, next_{0}, said_after_{0};
  std::uint64_t progress_ = 0;
  std::optional<Clock::time_point> began_;
  bool was_said_ = false;
};

/// What is open in one server at one look, and what it waits for. Thread-safe.
class Waits {
 public:
  /// In the order in which they are read.
  enum class About : std::uint8_t {
    everything,  ///< nothing moves
    model,
    reductions,
    parts,
    files,
    checkpoints,
    commands,
    threads
  };
  struct Entry {
    About about;
    Wait wait;
    bool is_note = false;  ///< explains a stall, and is no wait by itself
  };
  /// Steps or records of one subject that are told apart.
  static constexpr std::size_t kMostNumbers = 1000;

  /// What has no numbers waits as one.
  void add(About about, Wait wait) {
    if (wait.numbers.empty()) wait.numbers.push_back(0);
    add(Entry{about, std::move(wait)});
  }
  /// What is worth saying only when nothing moves.
  void note(About about, std::string text) { add(Entry{about, {"", {}, std::move(text)}, true}); }

  /// A strand has been asked, and has answered.
  void expect() {
    const std::lock_guard lock(mutex_);
    ++expected_;
  }
  void answered() {
    const std::lock_guard lock(mutex_);
    --expected_;
  }
  bool is_complete() const {
    const std::lock_guard lock(mutex_);
    return expected_ == 0;
  }
  /// By what they are about. REQUIRES: it is complete.
  std::vector<Entry> take() {
    const std::lock_guard lock(mutex_);
    std::ranges::stable_sort(entries_, {}, &Entry::about);
    return std::move(entries_);
  }

 private:
  void add(Entry entry) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
  }

  mutable std::mutex mutex_;  // guards all below, which strands of all kinds answer into
  std::vector<Entry> entries_;
  int expected_ = 0;
};

/// "model rank 3", "model ranks 1, 2, 5 and 9 more"; `what` in the singular.
inline std::string numbered(const std::string& what, const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kMost = 8;
  std::string out = what + (numbers.size() == 1 ? " " : "s ");
  for (std::size_t i = 0; i < std::min(kMost, numbers.size()); ++i)
    out += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return numbers.size() > kMost ? out + " and " + std::to_string(numbers.size() - kMost) + " more" : out;
}

/// The last steps that each contributor of one tree has sent, to name those that lack. Belongs to the strand
/// of its tree.
class TreeProgress {
 public:
  void add_rank(ClientRank rank) { ranks_.try_emplace(rank, -1); }
  void add_child(ServerRank server) { children_.try_emplace(server, -1); }
  void rank_sent(ClientRank rank, std::int64_t step) { ranks_[rank] = std::max(ranks_[rank], step); }
  void rank_ended(ClientRank rank) { ranks_[rank] = INT64_MAX; }
  void child_sent(ServerRank server, std::int64_t step) {
    children_[server] = std::max(children_[server], step);
  }

  std::vector<ClientRank> missing_ranks(std::int64_t step) const { return behind(ranks_, step); }
  std::vector<ServerRank> missing_servers(std::int64_t step) const { return behind(children_, step); }

 private:
  static std::vector<std::uint32_t> behind(const std::map<std::uint32_t, std::int64_t>& sent,
                                           std::int64_t step) {
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, last] : sent) {
      if (last < step) numbers.push_back(number);
    }
    return numbers;
  }

  std::map<std::uint32_t, std::int64_t> ranks_, children_;
};

}  // namespace pileus
