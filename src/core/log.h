#pragma once
// What the run has to say while it goes on: the time of day (UTC), who says it, how serious it is, the text.
// Nobody who speaks waits: a lane of its own writes (core/log_lane.h).

#include <chrono>
#include <string>
#include <string_view>

namespace pileus::log {

enum class Level { debug, info, warning, error };

/// The name that precedes every line of this process, for example "server 1".
void set_speaker(std::string name);
/// Lines go to the end of this file too, which is made with the first one; the first file stays.
void set_file(const std::string& path);
/// Lines below this level are dropped. Default: info; the environment's PILEUS_LOG (debug, info, warning,
/// error) overrules.
void set_level(Level level);

void write(Level level, std::string_view text);
/// What is wrong with PILEUS_LOG, which every process of a job reads and one is to say; "" if nothing is.
std::string level_mistake();
/// To the file alone, if there is one: what somebody else says where people look.
void write_to_file(Level level, std::string_view text);
/// Waits until all is written, unless nothing is for `patience`; whether it was. Before what ends a process.
bool flush(std::chrono::milliseconds patience = std::chrono::seconds(1));
inline void debug(std::string_view text) { write(Level::debug, text); }
inline void info(std::string_view text) { write(Level::info, text); }
inline void warning(std::string_view text) { write(Level::warning, text); }
inline void error(std::string_view text) { write(Level::error, text); }

}  // namespace pileus::log
