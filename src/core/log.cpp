#include "core/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <mutex>

namespace pileus::log {
namespace {

// The log is the process's, as its standard error is: the one place where the house keeps something global.
spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = std::make_shared<spdlog::logger>("pileus", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("[pileus] %l: %v");
    made->flush_on(spdlog::level::info);
    if (const char* level = std::getenv("PILEUS_LOG")) made->set_level(spdlog::level::from_str(level));
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warning: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void set_speaker(std::string name) { logger().set_pattern("[pileus " + name + "] %l: %v"); }

void set_level(Level level) {
  if (!std::getenv("PILEUS_LOG")) logger().set_level(to_spdlog(level));
}

void write(Level level, std::string_view text) { logger().log(to_spdlog(level), text); }

}  // namespace pileus::log
