#include "output/file_lane.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/error_text.h"

namespace pileus {

void FileLane::post(Place place, Task work, Then then) {
  waiting_.push_back({place, std::move(work), std::move(then)});
  run_next();
}

void FileLane::run_next() {
  if (is_busy_ || waiting_.empty()) return;
  is_busy_ = true;
  if (dropped_ == 0) return run(false);
  places_.home([self = shared_from_this()] { self->ended({"the file was given up"}, false); });
}

/// The first operation stays where it is until it has ended: others are only added behind it.
void FileLane::run(bool is_again) {
  const Operation& operation = waiting_.front();
  Task attempt = [self = shared_from_this(), &work = operation.work] {
    DiskFailure failure;
    bool may_be_repeated = false;
    try {
      work();
    } catch (const DiskFullError& error) {
      failure = {error.what(), true};
      may_be_repeated = error.may_be_repeated();
    } catch (...) {
      failure = {text_of_current_exception(), false};
    }
    self->places_.home([self, failure, may_be_repeated] { self->ended(failure, may_be_repeated); });
  };
  const bool is_library = operation.place == Place::library;
  if (is_again) return (is_library ? full_->library : full_->writers).submit(std::move(attempt));
  (is_library ? places_.library : places_.disk)(std::move(attempt));
}

void FileLane::ended(const DiskFailure& failure, bool may_be_repeated) {
  if (may_be_repeated && waits(failure.text)) return;
  end_wait(failure.text.empty());
  const Operation done = std::move(waiting_.front());
  waiting_.pop_front();
  if (dropped_ > 0) --dropped_;
  is_busy_ = false;
  done.then(failure);
  run_next();
}

/// False where there is no patience left.
bool FileLane::waits(const std::string& why) {
  if (full_ == nullptr || !is_patient_) return false;
  const auto now = full_->pauses.now();
  if (!full_since_) {
    full_since_ = now;
    pause_s_ = full_->patience.first_pause_s;
    full_->hooks.full(file_, why);
  } else if (full_->plan[file_.file].when_full != WhenFull::wait &&
             std::chrono::duration<double>(now - *full_since_).count() >= full_->patience.total_s) {
    return false;
  }
  why_full_ = why;
  is_pausing_ = true;
  full_->pauses.after(pause_s_, [self = shared_from_this(), pause = ++pauses_] {
    self->places_.home([self, pause] { self->resume(pause, {}); });
  });
  pause_s_ = std::min(2 * pause_s_, full_->patience.longest_pause_s);
  return true;
}

void FileLane::end_wait(bool has_room) {
  if (!full_since_) return;
  const std::chrono::duration<double> waited =
      full_->pauses.now() - *std::exchange(full_since_, std::nullopt);
  full_->hooks.over(file_, waited.count(), has_room);
}

void FileLane::resume(std::uint64_t pause, const DiskFailure& given_up) {
  if (!is_pausing_ || pause != pauses_) return;
  is_pausing_ = false;
  given_up.text.empty() ? run(true) : ended(given_up, false);
}

void FileLane::give_up() {
  dropped_ = waiting_.size();
  give_up_waiting();
}

void FileLane::give_up_waiting() {
  is_patient_ = false;
  if (!is_pausing_) return;
  places_.home([self = shared_from_this(), pause = pauses_] {
    self->resume(pause, {self->why_full_, true});
  });
}

}  // namespace pileus
