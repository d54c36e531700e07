#include "exec/strand.h"

#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace pileus {
namespace {

/// After so many tasks a strand lets the others of its executor come in between.
constexpr int kBatch = 32;

}  // namespace

struct Strand::Queue : std::enable_shared_from_this<Queue> {
  explicit Queue(Executor& on) : executor(on) {}

  Executor& executor;
  mutable std::mutex mutex;  // guards all below; a strand is made of it
  std::deque<Task> waiting;
  bool is_active = false;  // a run of this queue is submitted or running

  /// The next task; where there is none the queue is no longer active.
  std::optional<Task> take() {
    std::lock_guard lock(mutex);
    if (waiting.empty()) {
      is_active = false;
      return std::nullopt;
    }
    Task task = std::move(waiting.front());
    waiting.pop_front();
    return task;
  }

  void submit_run() {
    executor.submit([self = shared_from_this()] { self->run_batch(); });
  }

  void run_batch() {
    for (int i = 0; i < kBatch; ++i) {
      std::exception_ptr error;
      {
        std::optional<Task> task = take();
        if (!task) return;
        try {
          (*task)();
        } catch (...) {
          error = std::current_exception();
        }
      }
      if (error) {
        submit_run();
        std::rethrow_exception(error);
      }
    }
    submit_run();
  }
};

Strand::Strand(Executor& executor) : queue_(std::make_shared<Queue>(executor)) {}
Strand::~Strand() = default;
Strand::Strand(Strand&&) noexcept = default;
Strand& Strand::operator=(Strand&&) noexcept = default;

void Strand::post(Task task) {
  {
    std::lock_guard lock(queue_->mutex);
    queue_->waiting.push_back(std::move(task));
    if (std::exchange(queue_->is_active, true)) return;
  }
  queue_->submit_run();
}

bool Strand::is_idle() const {
  std::lock_guard lock(queue_->mutex);
  return !queue_->is_active;
}

}  // namespace pileus
