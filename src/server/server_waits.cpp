// What a server says of what it waits for.

#include "core/log.h"
#include "server/server_run.h"

namespace pileus {

WaitWatch::Clock::time_point Server::Run::now() const {
  return settings_.now ? settings_.now() : WaitWatch::Clock::now();
}

void Server::Run::look_for_waits() {
  if (planned_) {
    waits_.poll(progress(), now());
  } else {
    look_for_absent_ranks(now());
  }
}

/// Before the run: a rank that has started and does not commit most often waits for servers in a call of MPI.
void Server::Run::look_for_absent_ranks(StallWatch::Clock::time_point now) {
  std::vector<ClientRank> absent;
  for (const ClientRank client : clients_) {
    if (!own_registrations_.ranks().contains(client)) absent.push_back(client);
  }
  if (absent.empty() || !commit_stall_.is_due(absent.size(), now)) return;
  const double lasted_s = commit_stall_.said_after_s();
  say(WaitWatch::Said::waiting,
      "nothing has moved for " + in_seconds(lasted_s) + " s, since " + time_of_day(lasted_s) + ":\n  " +
          numbered("model rank", absent) +
          " did not come to pileus_commit yet; is one in a call on MPI_COMM_WORLD, in which servers "
          "take no part? The communicator that pileus_start gives is the model's own");
}

WaitWatch::Hooks Server::Run::wait_hooks() {
  WaitWatch::Hooks hooks;
  hooks.ask = [this](const std::shared_ptr<Waits>& waits) { ask_for_waits(waits); };
  hooks.say = [this](WaitWatch::Said said, const std::string& lines, const std::string& line,
                     double lasted_s) {
    say(said, lines);
    tell_wait(said, line, lasted_s);
  };
  hooks.late = [this](const WaitBook::Late& late) { tell_late(late); };
  return hooks;
}

void Server::Run::ask_for_waits(const std::shared_ptr<Waits>& waits) {
  planned_->analysis.tell_waits(waits);
  planned_->publishing.tell_waits(waits);
  planned_->checkpoints.tell_waits(waits);
  planned_->hooks.tell_waits(*waits);
}

void Server::Run::say(WaitWatch::Said said, const std::string& lines) const {
  if (settings_.say_waits) return settings_.say_waits(settings_.self, lines);
  said == WaitWatch::Said::waiting ? log::warning(lines) : log::info(lines);
}

void Server::Run::tell_wait(WaitWatch::Said said, const std::string& line, double lasted_s) const {
  if (!planned_->tell) return;
  Event event;
  event.kind = said == WaitWatch::Said::waiting ? Event::Kind::waiting : Event::Kind::came;
  event.server = settings_.self;
  event.lasted_s = lasted_s;
  event.text = line;
  planned_->tell(event);
}

void Server::Run::tell_late(const WaitBook::Late& late) const {
  const FilePeriod file{late.file, late.period};
  if (!planned_->tell) return;
  Event event;
  event.kind = Event::Kind::late;
  event.server = settings_.self;
  event.file = file.file;
  event.period = file.period;
  event.path = planned_->publishing.final_path(file);
  event.lasted_s = late.lasted_s;
  planned_->tell(event);
}

}  // namespace pileus
