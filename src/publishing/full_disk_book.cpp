#include "publishing/full_disk_book.h"

#include <algorithm>
#include <cstdio>

#include "core/log.h"

namespace pileus {
namespace {

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

}  // namespace

void FullDiskBook::full(FilePeriod file, const std::string& why) {
  Waiting& waiting = waiting_[file];
  if (waiting.lanes++ > 0) return;
  waiting.why = why;
  waiting.since = std::chrono::steady_clock::now();
  const std::string policy(name(plan_[file.file].when_full));
  log::warning(names_.final_path(file) + ": waits for space on the disk (when_full=\"" + policy +
               "\"): " + why);
  Event event = events_.about(Event::Kind::disk_full, file);
  event.text = why;
  events_.tell(std::move(event));
}

void FullDiskBook::over(FilePeriod file, double waited_s, bool has_space) {
  Waiting& waiting = waiting_.at(file);
  waiting.waited_s = std::max(waiting.waited_s, waited_s);
  if (--waiting.lanes > 0) return;
  // Two lanes that waited one after the other waited longer than either.
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - waiting.since;
  waited_s = std::max(waiting.waited_s, elapsed.count());
  waited_s_[file] += waited_s;
  waiting_.erase(file);
  if (!has_space) return;  // what becomes of it is said by its owner
  log::info(names_.final_path(file) + ": has space on the disk after " + seconds_text(waited_s));
  Event event = events_.about(Event::Kind::disk_has_space, file);
  event.lasted_s = waited_s;
  events_.tell(std::move(event));
}

void FullDiskBook::add_to(Waits& waits) const {
  for (const auto& [file, waiting] : waiting_) {
    const std::string path = names_.final_path(file);
    waits.add(Waits::About::files,
              {path + ", space", {file.period}, path + ": waits for space on the disk: " + waiting.why});
  }
}

std::vector<std::string> FullDiskBook::texts() const {
  std::vector<std::string> texts;
  for (const auto& [file, waited_s] : waited_s_) {
    texts.push_back(names_.final_path(file) + ": waited " + seconds_text(waited_s) +
                    " for space on the disk");
  }
  return texts;
}

}  // namespace pileus
