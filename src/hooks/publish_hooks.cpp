#include "hooks/publish_hooks.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/error_text.h"

namespace pileus {
namespace {

/// A command may take long, and a server has cores for other things.
constexpr std::size_t kMostAtOnce = 4;

}  // namespace

void PublishHooks::start(const std::string& command, const PublishedFile& file) {
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(file.path, ignored).string();
  HookCommand made{"on_publish", command, path, file.series, {}};
  made.environment = {
      {"PILEUS_FILE", path}, {"PILEUS_PUBLICATION_ID", file.publication}, {"PILEUS_SERIES", file.series}};
  made.file = file;
  start(std::move(made));
}

void PublishHooks::start(HookCommand command) {
  {
    std::unique_lock lock(mutex_);
    const auto is_of_queue = [&](const Hook& one) { return one.command.queue == command.queue; };
    if (command.most_waiting > 0 &&
        std::ranges::count_if(waiting_, is_of_queue) >= static_cast<std::ptrdiff_t>(command.most_waiting)) {
      const bool is_first = crowded_.insert(command.queue).second;
      lock.unlock();
      if (is_first)
        failed_(command, "is left out, here and from now on where " + std::to_string(command.most_waiting) +
                             " of it wait to be run");
      return;
    }
    if (command.is_newest_alone) std::erase_if(waiting_, is_of_queue);
    waiting_.push_back({++last_number_, std::move(command)});
  }
  start_next();
}

void PublishHooks::start_next() {
  for (;;) {
    Hook hook;
    {
      const std::lock_guard lock(mutex_);
      if (running_.size() >= kMostAtOnce) return;
      const auto next = std::ranges::find_if(waiting_, [&](const Hook& one) {
        return std::ranges::none_of(
            running_, [&](const Hook& other) { return other.command.queue == one.command.queue; });
      });
      if (next == waiting_.end()) return;
      hook = *next;
      waiting_.erase(next);
      running_.push_back(hook);
    }
    writers_.submit([this, hook] {
      const HookCommand& command = hook.command;
      try {
        started(hook.number, processes_.start(command.text, command.argument, command.environment));
      } catch (...) {
        ended(hook.number, text_of_current_exception());
      }
    });
  }
}

/// Those of files: a run that continues does not start them again, but tells of epochs anew.
std::vector<std::int64_t> PublishHooks::awaited() const {
  std::vector<std::int64_t> numbers;
  for (const Hook& one : running_)
    if (one.command.file) numbers.push_back(one.number);
  for (const Hook& one : waiting_)
    if (one.command.file) numbers.push_back(one.number);
  return numbers;
}

void PublishHooks::started(std::int64_t number, Processes::Number process) {
  const std::lock_guard lock(mutex_);
  const auto hook = std::ranges::find(running_, number, &Hook::number);
  if (hook != running_.end()) hook->process = process;
}

bool PublishHooks::poll() {
  std::vector<std::pair<std::int64_t, std::string>> done;
  {
    const std::lock_guard lock(mutex_);
    for (const Hook& hook : running_) {
      if (hook.process < 0) continue;
      if (const auto how = processes_.ended(hook.process)) done.emplace_back(hook.number, *how);
    }
  }
  for (const auto& [number, how] : done) ended(number, how);
  return !done.empty();
}

void PublishHooks::ended(std::int64_t number, const std::string& how) {
  Hook hook;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(running_, number, &Hook::number);
    if (found == running_.end()) return;
    hook = *found;
  }
  if (!how.empty()) failed_(hook.command, hook.command.attribute + "=\"" + hook.command.text + "\": " + how);
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(running_, [&](const Hook& one) { return one.number == number; });
  }
  run_due();
  start_next();
}

/// One thread at a time, so that nothing overtakes what was asked for before.
void PublishHooks::run_due() {
  for (;;) {
    std::vector<std::function<void()>> due;
    {
      const std::lock_guard lock(mutex_);
      if (is_running_due_) return;  // who does looks again
      std::int64_t oldest = last_number_ + 1;
      for (const std::int64_t number : awaited()) oldest = std::min(oldest, number);
      for (; !after_.empty() && after_.begin()->first < oldest; after_.erase(after_.begin()))
        due.push_back(std::move(after_.begin()->second));
      if (due.empty()) return;
      is_running_due_ = true;
    }
    try {
      for (const auto& then : due) then();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      is_running_due_ = false;  // those behind it wait for nothing
      throw;
    }
    const std::lock_guard lock(mutex_);
    is_running_due_ = false;
  }
}

void PublishHooks::after_those_so_far(std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    after_.emplace(last_number_, std::move(then));
  }
  run_due();
}

void PublishHooks::tell_waits(Waits& waits) const {
  const std::lock_guard lock(mutex_);
  for (const Hook& hook : running_) {
    const auto behind = std::ranges::count_if(
        waiting_, [&](const Hook& other) { return other.command.queue == hook.command.queue; });
    const HookCommand& command = hook.command;
    std::string text = command.attribute + "=\"" + command.text + "\" of " +
                       (command.file ? command.file->path : command.argument) + " has not ended (";
    text += hook.process < 0 ? "it is being started)" : "process " + std::to_string(hook.process) + ")";
    if (behind > 0) text += ", and " + std::to_string(behind) + " more of its series wait for it";
    waits.add(Waits::About::commands, {command.queue, {hook.number}, std::move(text)});
  }
}

bool PublishHooks::is_idle() const {
  const std::lock_guard lock(mutex_);
  return running_.empty() && waiting_.empty() && after_.empty() && !is_running_due_;
}

}  // namespace pileus
