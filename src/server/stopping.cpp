#include "server/stopping.h"

#include <algorithm>

#include "core/log.h"
#include "server/wiring.h"

namespace pileus {
namespace {

/// Model ranks print what they are told: one of them all of it, the others what it begins with.
std::string first_line_of(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return text;
  const auto more = std::ranges::count(text, '\n');
  return text.substr(0, end) + " (and " + std::to_string(more) + (more == 1 ? " line" : " lines") +
         " more, which model rank 0 was told)";
}

/// The model says why, where people look: it has the text from its call. A rank that left says nothing more.
void log_refusal(const std::string& text) {
  if (text.ends_with(kLeftBeforeCommit)) return log::error("the run cannot start: " + text);
  log::error(
      "the run cannot start; model rank 0 has the reason from pileus_commit, and so has the file of this "
      "log, if there is one (PILEUS_LOG_FILE)");
  log::write_to_file(log::Level::error, text);
}

}  // namespace

void Stopping::take_failure() noexcept {
  state_.failures.add_current();
  is_failure_told_ = false;
  drop_what_comes();
}

/// Server 0 tells all: the model hears it at its next call.
void Stopping::tell_failure() {
  if (is_told()) return;
  drop_what_comes();
  if (state_.wiring) {
    state_.letters.send(0, text_frame(ServerFrame::stop, state_.failures.first()));
  } else {
    refuse_everywhere(state_.failures.first());
  }
  is_failure_told_ = true;
}

void Stopping::refuse_everywhere(const std::string& text) {
  state_.letters.send_to_all(text_frame(ServerFrame::refusal, text));
}

void Stopping::take_refusal(const std::string& text) {
  if (state_.is_first()) log_refusal(text);
  for (ClientRank client : state_.clients) {
    const std::string told = client == 0 ? text : first_line_of(text);
    state_.letters.send_to_client(client, text_frame(FrameKind::refusal, told));
  }
}

bool Stopping::is_first_reason(const std::string& why) {
  if (!is_stopping_) return true;
  if (why != stopped_for_) state_.errors.add(why);
  return false;
}

void Stopping::stop_everywhere(const std::string& why) {
  stopped_for_ = why;
  state_.errors.add("the run is stopped: " + why);
  state_.letters.send_to_all(text_frame(ServerFrame::stopping, why));
  is_stopping_ = true;
  state_.wiring->news.stopping(why);
}

/// Model ranks that have finished already hear it with their farewell.
void Stopping::take_stopping(const std::string& why) {
  drop_what_comes();
  guarded([&] { state_.wiring->publishing.stop(why); });
  for (ClientRank client : state_.clients) {
    if (!state_.finished.contains(client))
      state_.letters.send_to_client(client, text_frame(FrameKind::stopping, why));
  }
}

/// Parcels give their memory back, so that no model rank waits for it.
void Stopping::drop_what_comes() {
  is_stopped_ = true;
  if (!state_.wiring) return;
  if (state_.wiring->inputs) state_.wiring->inputs->stop();
  state_.wiring->analysis.stop();
}

}  // namespace pileus
