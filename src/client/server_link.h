#pragma once
// A model rank's conversation with its server: control frames go out, answers come in. The rank may wait for
// an answer or for memory. The link has no thread and never spins: it receives, then rests.

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "client/frames.h"
#include "client/loan_frames.h"
#include "core/encoder.h"
#include "core/ids.h"
#include "core/wants.h"
#include "inputs/model_input.h"
#include "plan/demand.h"
#include "plan/step_limits.h"
#include "transport/endpoint.h"

namespace pileus {

/// The end of the run, as the server reports it.
struct Farewell {
  std::uint32_t status = 0;  ///< a pileus_status
  std::string text;
};

/// Why the run cannot start: the servers' findings, one on each line.
struct Refusal {
  std::string text;
};

/// Mistakes of the configuration that were found when a model asked for it.
struct NoWants {
  std::string text;
};

class ServerLink {
 public:
  /// `rank`: the model rank's number, for messages about long waits.
  ServerLink(Endpoint& endpoint, Peer server, ClientRank rank)
      : endpoint_(endpoint), server_(server), rank_(rank) {}

  /// Sends one control frame, a plain structure that begins with its FrameKind.
  template <class Frame>
  void send(const Frame& frame) {
    send_bytes(std::as_bytes(std::span(&frame, 1)));
  }
  void send_bytes(std::span<const std::byte> frame);
  /// Sends a control frame that belongs to a step: waits for memory as claim() does.
  template <class Frame>
  void send_with_steps(const Frame& frame) {
    std::unique_ptr<Slot> slot = claim(kStepChannel, sizeof frame);
    std::memcpy(slot->bytes().data(), &frame, sizeof frame);
    commit(std::move(slot));
  }

  /// Returns memory for a parcel. Waits until there is some, adds up the time, and reports a long wait once.
  /// Errors: OutputError if the servers stop or end the run meanwhile, as the room may never come, or if this
  /// rank gives its server up (PILEUS_GIVE_UP).
  std::unique_ptr<Slot> claim(Channel channel, std::size_t bytes);
  void commit(std::unique_ptr<Slot> slot) { endpoint_.commit(std::move(slot)); }
  bool is_near() const { return endpoint_.is_near(server_); }
  void set_budget(std::size_t bytes) { endpoint_.set_budget(server_, bytes); }

  /// What this rank sends if its server asks for its description.
  void offer_description(Bytes description) { description_ = std::move(description); }
  /// Takes the messages that have arrived. Errors: TransportError if one is unknown or damaged.
  void progress();
  /// Waits for the answer to a question. Errors: OutputError if the run stops or ends without one;
  /// RefusedError if the servers refuse the run instead.
  std::variant<Wants, NoWants> wait_for_wants();
  /// Waits for the answer to the registration. Errors: OutputError if the run stops or ends without one.
  std::variant<Demand, Refusal> wait_for_answer();
  /// The limits that came with the demand. REQUIRES: the answer was a demand.
  const std::vector<StepLimit>& step_limits() const { return step_limits_; }
  /// Which inputs files bring, as came with the demand.
  BroughtInputs take_brought() { return std::exchange(brought_, {}); }
  /// The records of inputs that have come since the last call, with their heads.
  std::vector<Bytes> take_input_records() { return std::exchange(input_records_, {}); }
  /// Waits for records, adds up the time, and reports a long wait once: `what` says what for.
  /// Errors: OutputError as claim().
  void wait_for_input(const std::function<bool()>& is_there, const std::function<std::string()>& what);
  std::chrono::nanoseconds waited_for_inputs() const { return waited_for_inputs_; }
  /// Errors: OutputError if the server does not come to it before this rank gives it up.
  const Farewell& wait_for_farewell();
  /// Returns when nothing is under way between this rank and its server. Errors: OutputError if the servers
  /// stop the run meanwhile, or this rank gives its server up.
  void wait_until_left();
  /// Waits until the server is done with what it reads, or is gone. Errors: OutputError if this rank gives
  /// its server up.
  void wait_for_loans(const std::function<bool()>& are_settled);
  /// The answers that have come since the last call.
  std::vector<LoanAnswer> take_loan_answers() { return std::exchange(loan_answers_, {}); }
  void share_memory() { endpoint_.share_memory_with(server_); }
  bool may_share_memory() const { return endpoint_.may_share_memory_with(server_); }
  /// Returns when everything has left this rank, or after `rests` rests of at most 0.1 ms. Does not throw.
  void wait_until_sent(int rests) noexcept;
  /// Returns when `is_done` says so, or after so many rests. Takes messages meanwhile. Does not throw.
  void wait_briefly(int rests, const std::function<bool()>& is_done) noexcept;

  /// Whether a trigger has asked for a checkpoint since the last call.
  bool take_checkpoint_wish() { return std::exchange(wants_checkpoint_, false); }
  /// Errors: OutputError if the servers have ended the run.
  void require_running() const;
  /// True if nothing more will be written, as the servers say, or as this rank has given its server up.
  bool is_stopping() const { return stopping_.has_value() || has_given_up_; }
  /// Errors: OutputError if the servers are stopping the run.
  void require_not_stopping() const;
  /// True if the servers refused the run or ended it, and expect nothing more.
  bool is_over() const { return farewell_ || (answer_ && std::holds_alternative<Refusal>(*answer_)); }
  std::chrono::nanoseconds waited_for_room() const { return waited_for_room_; }

 private:
  void wait_until(const std::function<bool()>& is_done);
  void say_if_long(std::chrono::duration<double> waited, const std::function<std::string()>& what);
  void give_up_after(std::chrono::duration<double> waited);
  void take(const Message& message);
  void send_description();

  Endpoint& endpoint_;
  Peer server_;
  ClientRank rank_;
  std::optional<double> patience_s_;        ///< limit for a wait; read at the first one
  bool has_said_ = false;                   ///< whether the present wait was reported
  std::optional<double> gives_up_after_s_;  ///< read at the first wait
  bool has_given_up_ = false;               ///< from then on every wait ends at once
  Bytes description_;
  std::optional<std::variant<Demand, Refusal>> answer_;
  std::optional<std::variant<Wants, NoWants>> wants_;
  std::vector<StepLimit> step_limits_;
  std::vector<LoanAnswer> loan_answers_;
  BroughtInputs brought_;
  std::vector<Bytes> input_records_;
  std::optional<Farewell> farewell_;
  bool wants_checkpoint_ = false;
  std::optional<std::string> stopping_;  ///< the reason
  std::chrono::nanoseconds waited_for_room_{0}, waited_for_inputs_{0};
};

}  // namespace pileus
