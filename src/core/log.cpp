#include "core/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <utility>

#include "core/log_lane.h"

namespace pileus::log {
namespace {

thread_local const std::string* own_speaker = nullptr;  // no destructor, which later lines would meet

constexpr std::array<std::string_view, 4> kWords = {"debug", "info", "warning", "error"};

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

Level first_level() {
  const char* const chosen = std::getenv("PILEUS_LOG");
  for (std::size_t i = 0; chosen != nullptr && i < kWords.size(); ++i) {
    if (kWords[i] == chosen) return static_cast<Level>(i);
  }
  return Level::info;
}

// The log belongs to the process, as its standard error does. It is the only global object of the library.
class Log {
 public:
  /// The log is never destroyed, as threads that outlive main may still write.
  static Log& instance() {
    static Log* const log = [] {
      std::atexit([] { instance().flush(std::chrono::seconds(1)); });
      return new Log;
    }();
    return *log;
  }

  void set_speaker(std::string name) {
    const std::lock_guard lock(mutex_);
    speaker_ = name.empty() ? "" : " " + name;
  }

  void set_level(Level level) { level_ = level; }
  Level level() const { return level_; }

  void set_file(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (!file_) file_ = std::make_unique<LogLane>([this, path] { return open_file(path); }, tell_dropped());
  }

  void write(Level level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    const std::string line = line_of(level, text, speaker());
    error_.write(line);
    if (file_) file_->write(line);
  }

  void write_to_file(Level level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (file_) file_->write(line_of(level, text, speaker()));
  }

  bool flush(std::chrono::milliseconds patience) {
    LogLane* file = nullptr;
    {
      const std::lock_guard lock(mutex_);
      file = file_.get();
    }
    const bool is_written = error_.flush(patience);
    return (file == nullptr || file->flush(patience)) && is_written;
  }

 private:
  std::string speaker() const {
    const std::string own = speaker_of_thread();
    return own.empty() ? speaker_ : " " + own;
  }

  static std::string line_of(Level level, std::string_view text, const std::string& speaker) {
    std::string line = now() + " [pileus" + speaker + "] ";
    line.append(kWords[static_cast<std::size_t>(level)]).append(": ").append(text) += '\n';
    return line;
  }

  LogLane::TellDropped tell_dropped() const {
    return [this](std::int64_t count) {
      return line_of(
          Level::warning,
          std::to_string(count) + " lines of this log were dropped until now: who reads it is too slow",
          speaker_);
    };
  }

  /// Runs on the lane of the file.
  int open_file(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
      error_.write(
          line_of(Level::warning, "the log cannot be written to " + path + ": is its folder there?", {}));
    return file;
  }

  std::mutex mutex_;  // guards speaker_ and file_, and keeps lines in the same order in both places
  std::string speaker_;
  std::atomic<Level> level_ = first_level();
  LogLane error_{[] { return STDERR_FILENO; }, tell_dropped()};
  std::unique_ptr<LogLane> file_;
};

}  // namespace

void set_speaker(std::string name) { Log::instance().set_speaker(std::move(name)); }

SpeakerOfThread::SpeakerOfThread(std::string name)
    : name_(std::move(name)), before_(std::exchange(own_speaker, &name_)) {}

SpeakerOfThread::~SpeakerOfThread() { own_speaker = before_; }

std::string speaker_of_thread() { return own_speaker == nullptr ? "" : *own_speaker; }

void set_file(const std::string& path) { Log::instance().set_file(path); }

void set_level(Level level) {
  if (!std::getenv("PILEUS_LOG")) Log::instance().set_level(level);
}

void write(Level level, std::string_view text) {
  if (level >= Log::instance().level()) Log::instance().write(level, text);
}

std::string level_mistake() {
  const char* const chosen = std::getenv("PILEUS_LOG");
  if (chosen == nullptr || *chosen == '\0' || std::ranges::find(kWords, chosen) != kWords.end()) return "";
  return "PILEUS_LOG is \"" + std::string(chosen) +
         "\", which is no level (debug, info, warning or error); info is taken";
}

void write_to_file(Level level, std::string_view text) {
  if (level >= Log::instance().level()) Log::instance().write_to_file(level, text);
}

bool flush(std::chrono::milliseconds patience) { return Log::instance().flush(patience); }

}  // namespace pileus::log
