#include "exec/thread_pool.h"

#include <utility>

#include "core/error.h"
#include "core/log.h"

namespace pileus {

ThreadPool::ThreadPool(std::size_t threads, std::function<void()> thread_start, OnError on_error)
    : thread_start_(std::move(thread_start)),
      speaker_(log::speaker_of_thread()),
      on_error_(std::move(on_error)) {
  if (threads == 0) throw UsageError("a thread pool needs at least one thread");
  workers_.reserve(threads);
  try {
    for (std::size_t i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (...) {
    stop_and_join();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop_and_join(); }

void ThreadPool::stop_and_join() {
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  has_work_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::submit(Task task) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  has_work_.notify_one();
}

bool ThreadPool::is_idle() const {
  std::lock_guard lock(mutex_);
  return running_ == 0 && waiting_.empty();
}

void ThreadPool::work() {
  const log::SpeakerOfThread speaker(speaker_);
  if (thread_start_) run_task(thread_start_, on_error_);
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    // A task that still runs elsewhere may submit more; its own worker comes back here and takes it.
    if (waiting_.empty()) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    run_task(std::move(task), on_error_);
    lock.lock();
    --running_;
  }
}

}  // namespace pileus
