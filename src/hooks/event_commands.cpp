#include "hooks/event_commands.h"

#include <filesystem>
#include <utility>

#include "core/shortest.h"

namespace pileus {
namespace {

std::string whole_path(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(path, ignored).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();  // without "/." at its end
}

}  // namespace

void EventCommands::start(const std::string& attribute, const std::string& command,
                          const std::string& argument, Processes::Environment environment) {
  if (!names_.component.empty()) environment.emplace_back("PILEUS_COMPONENT", names_.component);
  const bool is_newest_alone = attribute == "on_epoch";
  const std::string queue = "<" + attribute + ">";  // as no series is called
  hooks_.start({attribute, command, argument, queue, std::move(environment), is_newest_alone});
}

void EventCommands::checkpoint_complete(std::int64_t step, double time_s, const std::string& path) {
  if (names_.on_checkpoint.empty()) return;
  const std::string whole = whole_path(path);
  start("on_checkpoint", names_.on_checkpoint, whole,
        {{"PILEUS_CHECKPOINT", whole},
         {"PILEUS_STEP", std::to_string(step)},
         {"PILEUS_TIME_S", shortest(time_s)}});
}

void EventCommands::epoch(double complete_through_s) {
  if (!(complete_through_s > epoch_s_)) return;
  epoch_s_ = complete_through_s;
  if (names_.on_epoch.empty()) return;
  const std::string through = shortest(complete_through_s);
  start("on_epoch", names_.on_epoch, through, {{"PILEUS_COMPLETE_THROUGH_S", through}});
}

bool EventCommands::end(const std::string& directory, const std::string& status) {
  if (names_.on_end.empty()) return false;
  const std::string whole = whole_path(directory);
  start("on_end", names_.on_end, whole, {{"PILEUS_DIRECTORY", whole}, {"PILEUS_STATUS", status}});
  return true;
}

}  // namespace pileus
