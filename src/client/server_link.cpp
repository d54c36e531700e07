#include "client/server_link.h"

#include <cstdio>
#include <cstring>
#include <limits>

#include "core/encoder.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/log.h"

namespace pileus {
namespace {

constexpr std::chrono::microseconds kRest{100};
constexpr double kPatienceSeconds = 30;

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", seconds);
  return text;
}

}  // namespace
void ServerLink::send_bytes(std::span<const std::byte> frame) {
  std::unique_ptr<Slot> slot = endpoint_.claim(server_, kControl, frame.size());
  if (!slot) wait_until([&] { return (slot = endpoint_.claim(server_, kControl, frame.size())) != nullptr; });
  std::memcpy(slot->bytes().data(), frame.data(), frame.size());
  endpoint_.commit(std::move(slot));
}

std::unique_ptr<Slot> ServerLink::claim(Channel channel, std::size_t bytes) {
  std::unique_ptr<Slot> slot = endpoint_.claim(server_, channel, bytes);
  if (slot) return slot;
  const auto began = std::chrono::steady_clock::now();
  has_said_ = false;
  wait_until([&] {
    require_running();
    require_not_stopping();
    say_if_long(std::chrono::steady_clock::now() - began, [this] {
      return "memory: its server (rank " + std::to_string(server_) +
             " of the job) is not done with what was handed over before, or stands still";
    });
    return (slot = endpoint_.claim(server_, channel, bytes)) != nullptr;
  });
  waited_for_room_ += std::chrono::steady_clock::now() - began;
  return slot;
}

void ServerLink::wait_for_input(const std::function<bool()>& is_there,
                                const std::function<std::string()>& what) {
  const auto began = std::chrono::steady_clock::now();
  has_said_ = false;
  const auto count = [&] { waited_for_inputs_ += std::chrono::steady_clock::now() - began; };
  try {
    wait_until([&] {
      if (is_there()) return true;
      require_running();
      require_not_stopping();
      say_if_long(std::chrono::steady_clock::now() - began, [&] {
        return what() + ": its server (rank " + std::to_string(server_) +
               " of the job) has not read that yet, or stands still";
      });
      return false;
    });
  } catch (...) {
    count();
    throw;
  }
  count();
}

/// The client reports the wait, as a server that stands still cannot do so itself.
void ServerLink::say_if_long(std::chrono::duration<double> waited, const std::function<std::string()>& what) {
  if (!patience_s_) patience_s_ = seconds_from_environment("PILEUS_PATIENCE").value_or(kPatienceSeconds);
  if (has_said_ || waited.count() < *patience_s_) return;
  has_said_ = true;
  log::warning("model rank " + std::to_string(rank_) + " has waited " + seconds_text(waited.count()) +
               " s for " + what());
}

void ServerLink::progress() {
  while (const std::shared_ptr<Message> message = endpoint_.receive()) take(*message);
}

void ServerLink::take(const Message& message) {
  Decoder in(message.bytes());
  const auto kind = in.get<FrameKind>();
  switch (kind) {
    case FrameKind::description_wanted: return send_description();
    case FrameKind::demand:
      answer_ = Demand::decode(in);
      step_limits_ = decode_step_limits(in);
      return;
    case FrameKind::wants:
      if (in.get<std::uint8_t>() != 0) {
        wants_ = Wants::decode(in);
      } else {
        wants_ = NoWants{in.get_text()};
      }
      return;
    case FrameKind::loan_answer: loan_answers_.push_back(LoanAnswer::decode(in)); return;
    case FrameKind::inputs_brought: brought_ = decode_brought(in); return;
    case FrameKind::input_record: input_records_.emplace_back(in.rest().begin(), in.rest().end()); return;
    case FrameKind::refusal: answer_ = Refusal{in.get_text()}; return;
    case FrameKind::farewell: {
      const auto status = in.get<std::uint32_t>();
      farewell_ = Farewell{status, in.get_text()};
      return;
    }
    case FrameKind::checkpoint_wanted: wants_checkpoint_ = true; return;
    case FrameKind::stopping: stopping_ = in.get_text(); return;
    default:
      throw TransportError("the server sent a message of kind " +
                           std::to_string(static_cast<std::uint32_t>(kind)) +
                           ", which a model rank does not know; do model and servers have the same version?");
  }
}

void ServerLink::send_description() {
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::description);
  out.put_raw(description_);
  send_bytes(frame);
}

std::variant<Wants, NoWants> ServerLink::wait_for_wants() {
  wants_.reset();
  wait_until([&] {
    if (wants_) return true;
    if (answer_ && std::holds_alternative<Refusal>(*answer_))
      throw RefusedError(std::get<Refusal>(*answer_).text);
    require_running();
    require_not_stopping();
    return false;
  });
  return *std::move(wants_);
}

std::variant<Demand, Refusal> ServerLink::wait_for_answer() {
  wait_until([&] {
    if (answer_) return true;
    require_running();
    require_not_stopping();
    return false;
  });
  return *answer_;
}

const Farewell& ServerLink::wait_for_farewell() {
  wait_until([&] { return farewell_.has_value(); });
  return *farewell_;
}

void ServerLink::wait_until(const std::function<bool()>& is_done) {
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    progress();
    if (is_done()) return;
    give_up_after(std::chrono::steady_clock::now() - began);
    endpoint_.rest(kRest);
  }
}

/// A process that is lost cannot be told from one that is slow, so it is the user who says when to stop.
void ServerLink::give_up_after(std::chrono::duration<double> waited) {
  if (!gives_up_after_s_) {
    const std::optional<double> asked = seconds_from_environment("PILEUS_GIVE_UP");
    gives_up_after_s_ = asked.value_or(std::numeric_limits<double>::infinity());
  }
  if (!has_given_up_ && waited.count() < *gives_up_after_s_) return;
  has_given_up_ = true;
  throw OutputError("model rank " + std::to_string(rank_) + " has waited " +
                    seconds_text(*gives_up_after_s_) + " s (PILEUS_GIVE_UP) for its server, rank " +
                    std::to_string(server_) +
                    " of the job, and gives it up; files that are published are complete, and a run can "
                    "continue from the last checkpoint");
}

void ServerLink::wait_for_loans(const std::function<bool()>& are_settled) {
  wait_until([&] { return are_settled() || is_over(); });
}

void ServerLink::wait_until_left() {
  wait_until([this] {
    require_not_stopping();
    return !endpoint_.has_anything_under_way();
  });
}

void ServerLink::wait_until_sent(int rests) noexcept {
  try {
    for (int i = 0; i < rests && !endpoint_.is_all_sent(); ++i) endpoint_.rest(kRest);
  } catch (const std::exception&) {
    // The servers cannot be reached: there is nobody left to send to.
  }
}

void ServerLink::wait_briefly(int rests, const std::function<bool()>& is_done) noexcept {
  try {
    for (int i = 0; i < rests && !is_done(); ++i) {
      progress();
      endpoint_.rest(kRest);
    }
  } catch (const std::exception&) {
    // The servers cannot be reached.
  }
}

void ServerLink::require_running() const {
  if (farewell_) throw OutputError("the servers have ended the run: " + farewell_->text);
}

void ServerLink::require_not_stopping() const {
  if (stopping_)
    throw OutputError("the servers stop the run, and write nothing more: " + *stopping_ +
                      "; call pileus_finish on all ranks, remove the cause, and continue from the last "
                      "checkpoint");
}

}  // namespace pileus
