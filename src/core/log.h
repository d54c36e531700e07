#pragma once
// The messages of a run while it goes on, with the time of day (UTC), the speaker and the severity. A caller
// never waits, as a lane of its own writes the lines (core/log_lane.h).

#include <chrono>
#include <string>
#include <string_view>

namespace pileus::log {

enum class Level { debug, info, warning, error };

/// The name that precedes every line of this process, for example "server 1"; "": none.
void set_speaker(std::string name);
/// While it lives, the lines of its thread have this name, in place of that of the process; and those of a
/// ThreadPool that the thread makes. For processes with several speakers.
class SpeakerOfThread {
 public:
  explicit SpeakerOfThread(std::string name);
  ~SpeakerOfThread();
  SpeakerOfThread(const SpeakerOfThread&) = delete;
  SpeakerOfThread& operator=(const SpeakerOfThread&) = delete;

 private:
  const std::string name_;
  const std::string* before_;
};
/// "" where the thread has the speaker of the process.
std::string speaker_of_thread();
/// Writes the lines to the end of this file too, which is made with the first line. Only the first file
/// counts.
void set_file(const std::string& path);
/// Drops lines below this level. The default is info; the environment variable PILEUS_LOG (debug, info,
/// warning, error) overrules it.
void set_level(Level level);

void write(Level level, std::string_view text);
/// The mistake in PILEUS_LOG, or "". Every process of a job reads the variable, and one should report the
/// mistake.
std::string level_mistake();
/// Writes to the file alone, if there is one: on the terminal somebody else says it.
void write_to_file(Level level, std::string_view text);
/// Waits until all lines are written, and gives up when nothing is written for `patience`. Returns whether
/// all were. For callers that are about to end the process.
bool flush(std::chrono::milliseconds patience = std::chrono::seconds(1));
inline void debug(std::string_view text) { write(Level::debug, text); }
inline void info(std::string_view text) { write(Level::info, text); }
inline void warning(std::string_view text) { write(Level::warning, text); }
inline void error(std::string_view text) { write(Level::error, text); }

}  // namespace pileus::log
