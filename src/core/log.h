#pragma once
// What the run has to say while it goes on. One line a message; who says it comes first.

#include <string>
#include <string_view>

namespace pileus::log {

enum class Level { debug, info, warning, error };

/// The name that precedes every line of this process, for example "server 1".
void set_speaker(std::string name);
/// Lines below this level are dropped. Default: info; the environment's PILEUS_LOG (debug, info, warning,
/// error) overrules.
void set_level(Level level);

void write(Level level, std::string_view text);
inline void debug(std::string_view text) { write(Level::debug, text); }
inline void info(std::string_view text) { write(Level::info, text); }
inline void warning(std::string_view text) { write(Level::warning, text); }
inline void error(std::string_view text) { write(Level::error, text); }

}  // namespace pileus::log
