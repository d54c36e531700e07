#include "server/news.h"

namespace pileus {
namespace {

Event event_at(Event::Kind kind, ServerRank server, const Step& step) {
  Event event;
  event.kind = kind;
  event.server = server;
  event.period = step.done();
  event.last_record_s = step.time;
  return event;
}

}  // namespace

News::News(bool is_wanted, ServerRank self, Messages& messages) : self_(self) {
  if (is_wanted) tell_ = [&messages](const Event& event) { messages.send(0, encode(event)); };
}

void News::checkpoint_complete(const Step& step, const std::string& path) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::checkpointed;
  event.period = step.index;
  event.last_record_s = step.time;
  event.path = path;
  tell_(event);
}

void News::checkpoint_failed(std::int64_t step, const std::string& why) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::checkpoint_failed;
  event.period = step;
  event.text = why;
  tell_(event);
}

void News::hook_failed(const HookCommand& command, const std::string& how) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::hook_failed;
  event.text = how;
  if (command.file) {
    event.file = command.file->key.file;
    event.period = command.file->key.period;
    event.path = command.file->path;
    event.publication = command.file->publication;
  }
  tell_(event);
}

void News::stopping(const std::string& why) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::stopping;
  event.text = why;
  tell_(event);
}

void News::wait(WaitHost::Said said, const std::string& line, double lasted_s) const {
  if (!tell_) return;
  Event event;
  event.kind = said == WaitHost::Said::waiting ? Event::Kind::waiting : Event::Kind::came;
  event.server = self_;
  event.lasted_s = lasted_s;
  event.text = line;
  tell_(event);
}

void News::late(const WaitBook::Late& late, const std::string& path) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::late;
  event.server = self_;
  event.file = late.file;
  event.period = late.period;
  event.path = path;
  event.lasted_s = late.lasted_s;
  tell_(event);
}

void News::overloaded(ServerRank server, const Step& step, const std::string& why) const {
  if (!tell_) return;
  Event event = event_at(Event::Kind::overloaded, server, step);
  event.text = why;
  tell_(event);
}

void News::overload_over(ServerRank server, const Step& step, double lasted_s, std::int64_t dropped) const {
  if (!tell_) return;
  Event event = event_at(Event::Kind::overload_over, server, step);
  event.lasted_s = lasted_s;
  event.records = dropped;
  tell_(event);
}

void News::dropped(FileId file, std::int64_t records, double first_s, double last_s) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::dropped;
  event.file = file;
  event.records = records;
  event.first_record_s = first_s;
  event.last_record_s = last_s;
  tell_(event);
}

void News::triggered(const std::string& trigger, bool begins, const Step& step) const {
  if (!tell_) return;
  Event event = event_at(Event::Kind::triggered, self_, step);
  event.text = trigger;
  event.records = begins ? 1 : 0;
  tell_(event);
}

void News::happened(const std::string& word, const Step& step) const {
  if (!tell_) return;
  Event event = event_at(Event::Kind::happened, self_, step);
  event.text = word;
  tell_(event);
}

void News::controlled(const std::string& request, const std::string& problem, const Step& step) const {
  if (!tell_) return;
  Event event = event_at(Event::Kind::controlled, self_, step);
  event.text = request;
  event.path = problem;
  tell_(event);
}

void News::spilling(std::int64_t step, const std::string& directory) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::spilling;
  event.server = self_;
  event.period = step;
  event.path = directory;
  tell_(event);
}

void News::spilled(const Spilled& what) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::spilled;
  event.server = self_;
  event.period = what.first_step;
  event.last_step = what.last_step;
  event.records = what.parcels;
  event.bytes = what.bytes;
  event.lasted_s = what.lasted_s;
  tell_(event);
}

void News::spill_failed(const std::string& why) const {
  if (!tell_) return;
  Event event;
  event.kind = Event::Kind::spill_failed;
  event.server = self_;
  event.text = why;
  tell_(event);
}

}  // namespace pileus
