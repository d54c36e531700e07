#pragma once
// Tells those who follow a run what becomes of files, if anybody wants to know.

#include <string>
#include <utility>

#include "files/file_names.h"
#include "report/event.h"

namespace pileus {

class FileEvents {
 public:
  /// The names outlive it.
  FileEvents(ServerRank self, const FileNames& names) : self_(self), names_(names) {}

  void set(TellEvent tell) { tell_ = std::move(tell); }
  bool are_wanted() const { return static_cast<bool>(tell_); }
  void tell(Event event) const {
    event.server = self_;
    if (tell_) tell_(event);
  }
  Event about(Event::Kind kind, FilePeriod file) const {
    Event event;
    event.kind = kind;
    event.file = file.file;
    event.period = file.period;
    event.path = names_.final_path(file);
    return event;
  }
  void tell_skipped(FilePeriod file, const std::string& why) const {
    if (!tell_) return;
    Event event = about(Event::Kind::skipped, file);
    event.text = why;
    tell(std::move(event));
  }

 private:
  ServerRank self_;
  const FileNames& names_;
  TellEvent tell_;
};

}  // namespace pileus
