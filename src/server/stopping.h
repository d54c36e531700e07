#pragma once
// How a run ends before its time: it is refused before its first step, or stopped in it. Server 0 tells all.

#include <new>
#include <string>

#include "server/server_state.h"

namespace pileus {

/// The end of what is said of a model rank that left.
inline constexpr const char* kLeftBeforeCommit = " left before commit";

class Stopping {
 public:
  /// REQUIRES: the state outlives it.
  explicit Stopping(ServerState& state) : state_(state) {}

  /// An exception of `duty` is a failure of this server, and the caller goes on nevertheless.
  template <class Duty>
  void guarded(Duty duty) noexcept {
    try {
      duty();
    } catch (...) {
      take_failure();
    }
  }
  /// Does what must not be lost, a second time where memory lacked. A failure gives back what was held back
  /// for it.
  template <class Duty>
  void surely(Duty duty) {
    try {
      duty();
    } catch (const std::bad_alloc&) {
      take_failure();
      duty();
    }
  }
  /// The exception under way is a failure of this server. REQUIRES: called in a catch block.
  void take_failure() noexcept;
  /// Tells server 0 of a failure that it has not been told of. Before there is a Plan the run is refused.
  void tell_failure();
  /// Tells whether server 0 has been told of the failures here.
  bool is_told() const { return !state_.failures.is_any() || is_failure_told_; }

  /// To all servers: why the run cannot start.
  void refuse_everywhere(const std::string& text);
  /// A frame of the kind refusal: the clients are told.
  void take_refusal(const std::string& text);

  /// Tells whether the reason is the first one, on server 0. Other reasons become errors of the report.
  bool is_first_reason(const std::string& why);
  /// Server 0 tells all servers that the run is stopped. REQUIRES: it was the first reason.
  void stop_everywhere(const std::string& why);
  /// A frame of the kind stopping: what comes is dropped, and the clients are told.
  void take_stopping(const std::string& why);
  /// Tells whether this server drops everything that still comes.
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
