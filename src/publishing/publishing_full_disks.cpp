// What a server says of files for which the disk has no room, and when that ends the run.

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/log.h"
#include "publishing/publishing.h"

namespace pileus {
namespace {

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

}  // namespace

std::optional<FullDisks> Publishing::full_disks(const Trials* trials) {
  if (trials == nullptr) return std::nullopt;
  return FullDisks{
      plan_,
      trials->pauses,
      trials->patience,
      trials->library,
      trials->writers,
      {[this](FilePeriod file, const std::string& why) { take_full(file, why); },
       [this](FilePeriod file, double waited_s, bool has_room) { take_room(file, waited_s, has_room); }}};
}

/// One lane of the server is the owner's of the file, another that of its parts.
void Publishing::take_full(FilePeriod file, const std::string& why) {
  FullDisk& full = full_[file];
  if (full.lanes++ > 0) return;
  full.why = why;
  full.since = std::chrono::steady_clock::now();
  const std::string policy(name(plan_[file.file].when_full));
  log::warning(owner_.final_path(file) + ": waits for room on the disk (when_full=\"" + policy +
               "\"): " + why);
  if (!tell_) return;
  Event event = event_of(Event::Kind::disk_full, file);
  event.text = why;
  tell_(event);
}

void Publishing::take_room(FilePeriod file, double waited_s, bool has_room) {
  FullDisk& full = full_.at(file);
  full.waited_s = std::max(full.waited_s, waited_s);
  if (--full.lanes > 0) return;
  // Two lanes that waited one after the other waited longer than either.
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - full.since;
  waited_s = std::max(full.waited_s, elapsed.count());
  waited_s_[file] += waited_s;
  full_.erase(file);
  if (!has_room) return;  // what becomes of it is said by its owner
  log::info(owner_.final_path(file) + ": has room on the disk after " + seconds_text(waited_s));
  if (!tell_) return;
  Event event = event_of(Event::Kind::disk_has_room, file);
  event.lasted_s = waited_s;
  tell_(event);
}

void Publishing::add_full_disks(Waits& waits) const {
  for (const auto& [file, full] : full_) {
    const std::string path = owner_.final_path(file);
    waits.add(Waits::About::files,
              {path + ", room", {file.period}, path + ": waits for room on the disk: " + full.why});
  }
}

std::vector<std::string> Publishing::room_texts() const {
  std::vector<std::string> texts;
  for (const auto& [file, waited_s] : waited_s_) {
    texts.push_back(owner_.final_path(file) + ": waited " + seconds_text(waited_s) + " for room on the disk");
  }
  return texts;
}

/// What is kept from here on would call files lost that a run which continues can still write.
void Publishing::stop_if_wanted(FilePeriod file, const std::string& why) {
  if (plan_[file.file].when_full != WhenFull::stop || !stopped_.empty()) return;
  stopped_ = why;
  stop_run_(why);
  strand_.post([this] { owner_.stop(); });
}

void Publishing::stop(const std::string& why) {
  strand_.post([this, why] {
    if (stopped_.empty()) stopped_ = why;
    owner_.stop();
  });
}

}  // namespace pileus
