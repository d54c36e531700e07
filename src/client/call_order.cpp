#include "client/call_order.h"

#include <array>
#include <string>

#include "core/error.h"

namespace pileus {
namespace {

struct CallRule {
  const char* name;
  std::array<bool, 9> may_come;  ///< by RunState; in those that are not named below none
  const char* what_is_right;
};

constexpr const char* kRegistration = "everything is registered between pileus_start and pileus_commit";

//                 registering, failed, ready, in_step, between_steps, handed_over, finished
constexpr CallRule kRules[] = {
    {"pileus_option", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_dimension", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_dimension_bounds", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_points", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_calendar", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_continue",
     {true, false, false, false, false, false, false},
     "a run says between pileus_start and pileus_commit after which step it goes on"},
    {"pileus_count_anew",
     {true, false, false, false, false, false, false},
     "a run says between pileus_start and pileus_commit that its steps are counted anew"},
    {"pileus_field", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_field_metadata", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_static", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_input", {true, false, false, false, false, false, false}, kRegistration},
    {"pileus_wants",
     {true, false, false, false, false, false, false},
     "the configuration is asked between pileus_start and pileus_commit, after the options that it uses"},
    {"pileus_commit",
     {true, false, false, false, false, false, false},
     "it is called once, when everything is registered and before the first pileus_begin"},
    {"pileus_is_used",
     {false, false, true, true, true, true, false},
     "the configuration is known after pileus_commit"},
    {"pileus_is_brought",
     {false, false, true, true, true, true, false},
     "the configuration is known after pileus_commit"},
    {"pileus_get",
     {false, false, true, true, true, true, false},
     "inputs are read between pileus_commit and pileus_finish"},
    {"pileus_checkpoint_due",
     {false, false, true, false, true, false, false},
     "it is asked after pileus_commit, before the pileus_begin of the step in question"},
    {"pileus_event",
     {false, false, true, false, true, false, false},
     "it says something about the step that begins next, after pileus_commit or after a pileus_end"},
    {"pileus_begin",
     {false, false, true, false, true, false, false},
     "a step begins after pileus_commit or after the pileus_end of the step before it; none comes after the "
     "step that "
     "was marked PILEUS_FINAL, nor after pileus_begin_closing"},
    {"pileus_begin_closing",
     {false, false, false, false, true, false, false},
     "it comes once, after the pileus_end of the last step, unless that was marked PILEUS_FINAL"},
    {"pileus_put",
     {false, false, false, true, false, false, false},
     "fields are put between pileus_begin and pileus_end"},
    {"pileus_end",
     {false, false, false, true, false, false, false},
     "it ends the step that pileus_begin began"},
    {"pileus_progress",
     {false, false, true, true, true, true, false},
     "there is something to send after pileus_commit"},
    {"pileus_flush",
     {false, false, true, false, true, true, false},
     "it waits for what steps have sent, after pileus_commit or the pileus_end of a step"},
    {"pileus_finish",
     {false, false, true, false, true, true, false},
     "it is called once, after pileus_commit and the pileus_end of the last step"},
};

const CallRule& rule(Call call) { return kRules[static_cast<std::size_t>(call)]; }

const char* when(Call call, RunState state) {
  const bool needs_step = call == Call::put || call == Call::end;
  switch (state) {
    case RunState::registering: return "before pileus_commit";
    case RunState::failed: return "after pileus_commit failed";
    case RunState::ready: return needs_step ? "before pileus_begin" : "after pileus_commit";
    case RunState::in_step: return "inside a step, before its pileus_end";
    case RunState::between_steps:
      return needs_step ? "after pileus_end, before the next pileus_begin" : "after pileus_end";
    case RunState::handed_over: return "after the final step";
    case RunState::finished: return "after pileus_finish";
    case RunState::wants_failed: return "after pileus_wants failed";
    case RunState::finish_failed: return "after pileus_finish failed";
  }
  return "?";
}

}  // namespace

void require_order(Call call, RunState state) {
  if (rule(call).may_come[static_cast<std::size_t>(state)]) return;
  throw UsageError(std::string(rule(call).name) + " was called " + when(call, state) + "; " +
                   rule(call).what_is_right);
}

const char* c_name(Call call) { return rule(call).name; }

}  // namespace pileus
