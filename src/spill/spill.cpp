#include "spill/spill.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "core/error_text.h"

namespace pileus {
namespace {

/// As fields in messages are aligned.
constexpr std::align_val_t kAlignment{64};

/// A message whose bytes were on the disk.
class ReadMessage : public Message {
 public:
  ReadMessage(Peer from, std::size_t size)
      : from_(from), size_(size), bytes_(static_cast<std::byte*>(::operator new(size, kAlignment))) {}
  ~ReadMessage() override { ::operator delete(bytes_, kAlignment); }
  ReadMessage(const ReadMessage&) = delete;
  ReadMessage& operator=(const ReadMessage&) = delete;

  Peer from() const override { return from_; }
  std::span<const std::byte> bytes() const override { return {bytes_, size_}; }
  std::span<std::byte> to_fill() { return {bytes_, size_}; }

 private:
  Peer from_;
  std::size_t size_;
  std::byte* bytes_;
};

}  // namespace

/// One message and what is done with it. While it is under way, the strand alone has `message` and
/// `failure`; the lane has the rest.
struct SpilledMessage::Job {
  enum class What { write, read, clear };

  What what = What::write;
  Peer from = 0;
  std::uint64_t offset = 0;
  std::size_t size = 0;
  std::shared_ptr<const Message> message;
  std::weak_ptr<const Message> still_in_memory;  ///< while it is being written
  std::exception_ptr failure;
  std::atomic<bool> is_done = false;
  bool is_under_way = false, has_space = false, is_wanted = true, is_on_disk = false;
  bool is_counted = false;  ///< among the bytes on the disk, until others may take their place

  /// Frees the memory here, on the strand, as the lane may be busy with others.
  void run(ScratchFile& file) noexcept {
    try {
      if (what == What::write) {
        file.write_at(offset, message->bytes());
        message.reset();
      } else if (what == What::read) {
        auto read = std::make_shared<ReadMessage>(from, size);
        file.read_at(offset, read->to_fill());
        message = std::move(read);
      } else {
        file.clear();
      }
    } catch (...) {
      failure = std::current_exception();
    }
    is_done.store(true, std::memory_order_release);
  }
};

bool SpilledMessage::was_on_disk() const { return job_->what == Job::What::read; }

SpilledMessage::~SpilledMessage() { spill_.drop(*job_); }

std::shared_ptr<const Message> SpilledMessage::take() {
  Job& job = *job_;
  // What is not on the disk yet need not come from there.
  if (job.is_under_way) return job.what == Job::What::write ? job.still_in_memory.lock() : nullptr;
  if (job.message) return std::move(job.message);
  if (!job.is_on_disk) return nullptr;  // it was lost, or given
  job.what = Job::What::read;
  job.is_on_disk = false;
  spill_.start(job_);
  return nullptr;
}

Spill::Spill(std::unique_ptr<ScratchFile> file, Limits limits, Executor& disk)
    : limits_(limits), file_(std::move(file)), strand_(disk), space_(limits.bytes) {}

std::unique_ptr<SpilledMessage> Spill::lay_aside(std::shared_ptr<const Message> message, std::int64_t step) {
  const std::size_t size = message->bytes().size();
  if (is_refusing_ || size == 0 || waiting_ >= limits_.messages) return nullptr;
  auto job = std::make_shared<Job>();
  std::unique_ptr<SpilledMessage> spilled(new SpilledMessage(*this, job));
  ++waiting_;
  const std::optional<std::uint64_t> offset = space_.take(size);
  if (!offset) return nullptr;
  job->has_space = true;
  is_to_be_emptied_ = false;
  job->from = message->from();
  job->offset = *offset;
  job->size = size;
  job->still_in_memory = message;
  job->message = std::move(message);
  start(job);
  count(size, step);
  return spilled;
}

void Spill::count(std::size_t bytes, std::int64_t step) {
  const bool is_first = waiting_ == 1;
  figures_.first_step = is_first ? step : std::min(figures_.first_step, step);
  figures_.last_step = is_first ? step : std::max(figures_.last_step, step);
  ++figures_.messages;
  figures_.bytes += bytes;
}

void Spill::start(std::shared_ptr<Job> job) {
  job->is_done = false;
  under_way_.push_back(job);
  try {
    strand_.post([job, file = file_] { job->run(*file); });
  } catch (...) {
    under_way_.pop_back();
    throw;
  }
  job->is_under_way = true;
}

bool Spill::poll() {
  bool has_moved = false;
  while (!under_way_.empty() && under_way_.front()->is_done.load(std::memory_order_acquire)) {
    const std::shared_ptr<Job> job = std::move(under_way_.front());
    under_way_.pop_front();
    job->is_under_way = false;
    has_moved = true;
    if (job->what == Job::What::clear) continue;  // it is tried again when the file is empty again
    if (job->what == Job::What::write) {
      job->is_on_disk = !job->failure;
      if (job->failure) note_failure(*job);
      if (job->is_on_disk) note_written(*job);
    }
    if (!job->is_on_disk || !job->is_wanted) give_space_back(*job);
    if (!job->is_wanted) job->message.reset();
    if (job->what == Job::What::read && job->failure && job->is_wanted) std::rethrow_exception(job->failure);
  }
  empty_if_unused();
  return has_moved;
}

void Spill::note_written(Job& job) {
  job.is_counted = true;
  bytes_on_disk_ += job.size;
  figures_.most_bytes = std::max(figures_.most_bytes, bytes_on_disk_);
}

/// The message of the job stays in memory.
void Spill::note_failure(Job& job) {
  is_refusing_ = waiting_ > 0;
  ++figures_.failures;
  if (job.is_wanted) {
    --figures_.messages;
    figures_.bytes -= job.size;
  }
  const std::exception_ptr failure = std::exchange(job.failure, nullptr);
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    figures_.last_failure = text_of_current_exception();
  }
}

/// What is under way gives its bytes back when it is done. Nothing is started here, as the spill may be about
/// to go.
void Spill::drop(Job& job) noexcept {
  if (--waiting_ == 0) is_refusing_ = false;
  job.is_wanted = false;
  if (job.is_under_way) return;
  try {
    give_space_back(job);
  } catch (...) {  // no memory to note that the space is free: it is not used again
  }
}

void Spill::give_space_back(Job& job) {
  if (!std::exchange(job.has_space, false)) return;
  if (std::exchange(job.is_counted, false)) bytes_on_disk_ -= job.size;
  space_.give_back(job.offset, job.size);
  is_to_be_emptied_ = space_.used_bytes() == 0;
}

void Spill::empty_if_unused() {
  if (!std::exchange(is_to_be_emptied_, false)) return;
  auto clear = std::make_shared<Job>();
  clear->what = Job::What::clear;
  start(std::move(clear));
}

}  // namespace pileus
