#include "server/wait_teller.h"

#include "core/log.h"
#include "server/wiring.h"

namespace pileus {

WaitTeller::WaitTeller(ServerState& state, const Handshake& handshake)
    : state_(state),
      handshake_(handshake),
      commit_stall_(state.settings.patience_s),
      watch_(state.settings.patience_s, *this) {}

std::uint64_t WaitTeller::progress() const {
  return state_.moved + state_.wiring->activity.ended(Work::disk);
}

void WaitTeller::look() {
  if (state_.wiring) {
    watch_.poll(progress(), state_.now());
  } else {
    look_for_absent_ranks();
  }
}

/// A rank that has started and does not commit most often waits for servers in a call of MPI.
void WaitTeller::look_for_absent_ranks() {
  const std::vector<ClientRank> absent = handshake_.absent_clients();
  if (absent.empty() || !commit_stall_.is_due(absent.size(), state_.now())) return;
  const double lasted_s = commit_stall_.said_after_s();
  say_lines(Said::waiting,
            "nothing has moved for " + in_seconds(lasted_s) + " s, since " + time_of_day(lasted_s) + ":\n  " +
                numbered("model rank", absent) +
                " did not come to pileus_commit yet; is one in a call on MPI_COMM_WORLD, in which servers "
                "take no part? The communicator that pileus_start gives is the model's own");
}

void WaitTeller::ask(const std::shared_ptr<Waits>& waits) {
  state_.wiring->analysis.tell_waits(waits);
  state_.wiring->publishing.tell_waits(waits);
  state_.wiring->checkpoints.tell_waits(waits);
  state_.wiring->hooks.tell_waits(*waits);
  const auto& steering = state_.wiring->steering;
  if (steering && !steering->is_ready())
    waits->add(Waits::About::reductions, {"steering", {}, steering->wait_text()});
  state_.wiring->joints.tell_waits(*waits);
  const std::string reading = state_.wiring->inputs ? state_.wiring->inputs->wait_text() : "";
  if (!reading.empty()) waits->add(Waits::About::files, {"inputs", {}, reading});
}

void WaitTeller::say(Said said, const std::string& lines, const std::string& line, double lasted_s) {
  say_lines(said, lines);
  state_.wiring->news.wait(said, line, lasted_s);
}

void WaitTeller::say_lines(Said said, const std::string& lines) const {
  if (state_.settings.say_waits) return state_.settings.say_waits(state_.settings.self, lines);
  said == Said::waiting ? log::warning(lines) : log::info(lines);
}

void WaitTeller::say_late(const WaitBook::Late& late) {
  const FilePeriod file{late.file, late.period};
  state_.wiring->news.late(late, state_.wiring->publishing.final_path(file));
}

}  // namespace pileus
