#include "hooks/event_commands.h"

#include <filesystem>

#include "core/log.h"
#include "core/shortest.h"

namespace pileus {
namespace {

std::string whole_path(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).string();
}

}  // namespace

void EventCommands::checkpoint_complete(std::int64_t step, double time_s, const std::string& path) {
  if (names_.on_checkpoint.empty()) return;
  const std::string whole = whole_path(path);
  hooks_.start({"on_checkpoint",
                names_.on_checkpoint,
                whole,
                "checkpoints",
                {{"PILEUS_CHECKPOINT", whole},
                 {"PILEUS_STEP", std::to_string(step)},
                 {"PILEUS_TIME_S", shortest(time_s)}}});
}

void EventCommands::epoch(double complete_through_s) {
  if (!(complete_through_s > epoch_s_)) return;
  epoch_s_ = complete_through_s;
  if (names_.on_epoch.empty()) return;
  const std::string through = shortest(complete_through_s);
  hooks_.start(
      {"on_epoch", names_.on_epoch, through, "epochs", {{"PILEUS_COMPLETE_THROUGH_S", through}}, true});
}

void EventCommands::end(const std::string& directory, const std::string& status) {
  if (names_.on_end.empty()) return;
  const std::string whole = whole_path(directory);
  end_ = processes_.start(names_.on_end, whole, {{"PILEUS_DIRECTORY", whole}, {"PILEUS_STATUS", status}});
}

bool EventCommands::has_end_ended() {
  if (!end_) return true;
  const std::optional<std::string> how = processes_.ended(*end_);
  if (!how) return false;
  end_.reset();
  if (!how->empty()) log::warning("on_end=\"" + names_.on_end + "\": " + *how);
  return true;
}

}  // namespace pileus
