#include "files/file_lane.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/error_text.h"

namespace pileus {

void FileLane::post(bool is_of_library, Task work, Then then) {
  waiting_.push_back({is_of_library, std::move(work), std::move(then)});
  run_next();
}

void FileLane::run_next() {
  if (is_busy_ || waiting_.empty()) return;
  is_busy_ = true;
  if (dropped_ == 0) return run(false);
  threads_.home.post([self = shared_from_this()] { self->ended({1, {"the file was given up"}, false}); });
}

/// Operations stay where they are until they have ended: others are only added behind them.
void FileLane::run(bool is_again) {
  constexpr std::size_t kMostTogether = 64;
  const bool is_of_library = waiting_.front().is_of_library;
  std::vector<Task*> works;
  for (Operation& operation : waiting_) {
    if (operation.is_of_library != is_of_library || works.size() == kMostTogether) break;
    works.push_back(&operation.work);
  }
  Task attempt = [self = shared_from_this(), works = std::move(works)] {
    self->threads_.home.post([self, of = run_all(works)] { self->ended(of); });
  };
  if (is_again) return (is_of_library ? full_->library : full_->writers).submit(std::move(attempt));
  is_of_library ? threads_.library->post(std::move(attempt)) : threads_.writers.submit(std::move(attempt));
}

FileLane::Ended FileLane::run_all(const std::vector<Task*>& works) {
  Ended ended;
  for (Task* work : works) {
    ++ended.count;
    try {
      (*work)();
    } catch (const DiskFullError& error) {
      ended.failure = {error.what(), true};
      ended.may_be_repeated = error.may_be_repeated();
      break;
    } catch (...) {
      ended.failure = {text_of_current_exception(), false};
      break;
    }
  }
  return ended;
}

void FileLane::ended(Ended of) {
  const bool is_last = of.count == 1;
  const DiskFailure failure = is_last ? of.failure : DiskFailure{};
  if (is_last && of.may_be_repeated && waits(failure.text)) return;
  end_wait(failure.text.empty());
  const Operation done = std::move(waiting_.front());
  waiting_.pop_front();
  if (dropped_ > 0) --dropped_;
  if (is_last) {
    is_busy_ = false;
  } else {  // a task of its own, so that what one of them throws does not lose the others
    --of.count;
    threads_.home.post([self = shared_from_this(), of = std::move(of)] { self->ended(of); });
  }
  done.then(failure);
  if (is_last) run_next();
}

/// False where there is no patience left.
bool FileLane::waits(const std::string& why) {
  if (full_ == nullptr || !is_patient_) return false;
  const auto now = full_->pauses.now();
  bool is_overdue = false;
  if (!full_since_) {
    full_since_ = now;
    pause_s_ = full_->patience.first_pause_s;
    full_->teller.full(file_, why);
  } else if (full_->plan[file_.file].when_full != WhenFull::wait) {
    is_overdue = std::chrono::duration<double>(now - *full_since_).count() >= full_->patience.total_s;
    if (is_overdue && !beyond_patience_) return false;
  }
  why_full_ = why;
  is_pausing_ = true;
  full_->pauses.after(pause_s_, [self = shared_from_this(), pause = ++pauses_] {
    self->threads_.home.post([self, pause] { self->resume(pause, {}); });
  });
  pause_s_ = std::min(2 * pause_s_, full_->patience.longest_pause_s);
  if (is_overdue) beyond_patience_({why, true});  // which may give the lane up
  return true;
}

void FileLane::end_wait(bool has_space) {
  if (!full_since_) return;
  const std::chrono::duration<double> waited =
      full_->pauses.now() - *std::exchange(full_since_, std::nullopt);
  full_->teller.over(file_, waited.count(), has_space);
}

void FileLane::resume(std::uint64_t pause, const DiskFailure& given_up) {
  if (!is_pausing_ || pause != pauses_) return;
  is_pausing_ = false;
  given_up.text.empty() ? run(true) : ended({1, given_up, false});
}

void FileLane::give_up() {
  dropped_ = waiting_.size();
  give_up_waiting();
}

void FileLane::give_up_waiting() {
  is_patient_ = false;
  if (!is_pausing_) return;
  threads_.home.post([self = shared_from_this(), pause = pauses_] {
    self->resume(pause, {self->why_full_, true});
  });
}

}  // namespace pileus
