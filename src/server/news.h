#pragma once
// A server tells of its run in the events that programs outside read. Any thread may call it; nothing is told
// where nobody wants to know.

#include <cstdint>
#include <string>
#include <utility>

#include "core/step.h"
#include "hooks/publish_hooks.h"
#include "messaging/messages.h"
#include "report/event.h"
#include "watch/wait_watch.h"

namespace pileus {

class News {
 public:
  /// `is_wanted`: by somebody outside. REQUIRES: the messages outlive it.
  News(bool is_wanted, ServerRank self, Messages& messages);

  void checkpoint_complete(const Step& step, const std::string& path) const;
  void checkpoint_failed(std::int64_t step, const std::string& why) const;
  void hook_failed(const HookCommand& command, const std::string& how) const;
  void stopping(const std::string& why) const;
  void wait(WaitHost::Said said, const std::string& line, double lasted_s) const;
  /// A file is late; `path`: that it will have.
  void late(const WaitBook::Late& late, const std::string& path) const;

  /// Server 0: servers are behind, and their memory is full, from this step on.
  void overloaded(ServerRank server, const Step& step, const std::string& why) const;
  /// They have caught up; so many records were left out.
  void overload_over(ServerRank server, const Step& step, double lasted_s, std::int64_t dropped) const;
  /// Of the series so many, between these model times.
  void dropped(FileId file, std::int64_t records, double first_s, double last_s) const;

  /// Server 0: a trigger begins or ends, upon what was in this step.
  void triggered(const std::string& trigger, bool begins, const Step& step) const;
  /// The model has sent a word about the step.
  void happened(const std::string& word, const Step& step) const;
  /// Somebody asked for this from the step on; `problem`: why it is not done, "" if it is.
  void controlled(const std::string& request, const std::string& problem, const Step& step) const;

  /// What model ranks hand over is laid aside on this server's disk, from this step on.
  void spilling(std::int64_t step, const std::string& directory) const;
  struct Spilled {
    std::int64_t first_step = 0, last_step = 0, parcels = 0, bytes = 0;
    double lasted_s = 0;
  };
  /// All of it has been taken from there.
  void spilled(const Spilled& what) const;
  /// The disk did not take it.
  void spill_failed(const std::string& why) const;

  /// Sends any event to server 0, which writes it; empty where nobody wants to know.
  const TellEvent& tell() const { return tell_; }

 private:
  ServerRank self_;
  TellEvent tell_;
};

}  // namespace pileus
