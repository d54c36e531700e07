#pragma once
// How a run ends before its time: it is refused before its first step, or stopped in it. Server 0 tells all.

#include <string>

#include "server/server_state.h"

namespace pileus {

/// The end of what is said of a model rank that left.
inline constexpr const char* kLeftBeforeCommit = " left before commit";

class Stopping {
 public:
  /// REQUIRES: the state outlives it.
  explicit Stopping(ServerState& state) : state_(state) {}

  /// What `duty` throws is a failure of this server, and what comes after it is done nevertheless.
  template <class Duty>
  void guarded(Duty duty) noexcept {
    try {
      duty();
    } catch (...) {
      take_failure();
    }
  }
  /// The exception under way is a failure of this server. REQUIRES: called in a catch block.
  void take_failure() noexcept;
  /// Tells server 0 of a failure that it has not been told of. Before there is a Plan the run is refused.
  void tell_failure();
  /// Nothing is left to be told of failures.
  bool is_told() const { return !state_.failures.is_any() || is_failure_told_; }

  /// To all servers: why the run cannot start.
  void refuse_everywhere(const std::string& text);
  /// A frame of the kind refusal: the clients are told.
  void take_refusal(const std::string& text);

  /// On server 0: whether the reason is the first one. Others are said once more.
  bool is_first_reason(const std::string& why);
  /// On server 0: tells all servers that the run is stopped. REQUIRES: it was the first reason.
  void stop_everywhere(const std::string& why);
  /// A frame of the kind stopping: what comes is dropped, and the clients are told.
  void take_stopping(const std::string& why);
  /// What still comes is dropped.
  bool is_stopped() const { return is_stopped_; }

 private:
  void drop_what_comes();

  ServerState& state_;
  bool is_stopping_ = false;  ///< server 0: has told all
  std::string stopped_for_;   ///< on server 0: the reason that was said
  bool is_stopped_ = false;
  bool is_failure_told_ = false;
};

}  // namespace pileus
