// Makes every call in every state of a real client. Either the call may come, or its error says which call it
// is, when it came and what is right, and nothing has changed.

#include "client/call_order.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "client/client.h"
#include "client/testing/fake_server.h"

namespace pileus {
namespace {

/// The calls that may come in each state, as pileus.h says.
const std::map<RunState, std::set<Call>> kAllowed = {
    {RunState::registering,
     {Call::option, Call::dimension, Call::dimension_bounds, Call::points, Call::calendar,
      Call::continue_after, Call::count_anew, Call::field, Call::field_metadata, Call::static_field,
      Call::input, Call::wants, Call::commit}},
    {RunState::failed, {}},
    {RunState::ready,
     {Call::is_used, Call::is_brought, Call::get, Call::checkpoint_due, Call::event, Call::begin,
      Call::progress, Call::flush, Call::finish}},
    {RunState::in_step, {Call::is_used, Call::is_brought, Call::get, Call::put, Call::end, Call::progress}},
    {RunState::between_steps,
     {Call::is_used, Call::is_brought, Call::get, Call::checkpoint_due, Call::event, Call::begin,
      Call::begin_closing, Call::progress, Call::flush, Call::finish}},
    {RunState::handed_over,
     {Call::is_used, Call::is_brought, Call::get, Call::progress, Call::flush, Call::finish}},
    {RunState::finished, {}},
    {RunState::wants_failed, {}},
    {RunState::finish_failed, {}}};

void call(Client& client, Call which) {
  const double value = 0;
  double got = 0;
  ModelInput other;
  other.name = "other";
  switch (which) {
    case Call::option: return client.option("key", "value");
    case Call::dimension: return client.dimension({"y", 3, {}, ""});
    case Call::dimension_bounds: return client.dimension_bounds("x", {0, 2});
    case Call::points: return client.points({"cells", {"x"}}, {0}, nullptr);
    case Call::calendar: return client.calendar("noleap", "");
    case Call::continue_after: return client.continue_after(4);
    case Call::count_anew: return client.count_anew();
    case Call::field: client.field({"other", ElementType::float64, {}, {}}); return;
    case Call::field_metadata: return client.field_metadata(0, {});
    case Call::static_field: return client.static_field(0);
    case Call::input: client.input(other); return;
    case Call::is_brought: client.is_brought(0); return;
    case Call::get: return client.get(0, 1, reinterpret_cast<std::byte*>(&got), nullptr);
    case Call::wants: client.wants(); return;
    case Call::commit: return client.commit();
    case Call::is_used: client.is_used(0); return;
    case Call::checkpoint_due: client.checkpoint_due({9, 9.0, 1.0}); return;
    case Call::event: return client.event("storm");
    case Call::begin: return client.begin({9, 9.0, 1.0}, false);
    case Call::begin_closing: return client.begin_closing();
    case Call::put: return client.put(0, &value, nullptr);
    case Call::end: client.end(); return;
    case Call::progress: return client.progress();
    case Call::flush: return client.flush();
    case Call::finish: return client.finish();
  }
}

/// A file brings the one input.
void reply_commit(FakeServer& server) {
  Encoder out(server.replies.emplace_back());
  out.put(FrameKind::inputs_brought);
  encode_brought({BroughtInput()}, out);
  server.reply_demand({{}, {}, 0});
}

void bring_to(Client& client, FakeServer& server, RunState state) {
  client.dimension({"x", 1, {1}, "m"});
  client.field({"scalar", ElementType::float64, {}, {}});
  ModelInput input;
  input.name = "first";
  client.input(input);
  if (state == RunState::registering) return;
  if (state == RunState::wants_failed) {
    server.reply_text(static_cast<FrameKind>(77), "");
    EXPECT_THROW(client.wants(), TransportError);
    return;
  }
  if (state == RunState::failed) {
    server.reply_text(FrameKind::refusal, "no");
    EXPECT_THROW(client.commit(), ConfigError);
    return;
  }
  reply_commit(server);
  client.commit();
  Encoder record(server.replies.emplace_back());
  record.put(FrameKind::input_record);
  RecordHead{}.encode(record);
  record.put(1.0);
  if (state == RunState::ready) return;
  client.begin({1, 1.0, 1.0}, state == RunState::handed_over);
  if (state == RunState::in_step) return;
  client.end();
  if (state != RunState::finished && state != RunState::finish_failed) return;
  if (state == RunState::finish_failed) {
    server.is_control_broken = true;
    EXPECT_THROW(client.finish(), std::bad_alloc);
    server.is_control_broken = false;
    return;
  }
  server.reply_farewell(0, "");
  client.finish();
}

TEST(CallOrder, every_call_in_every_state_may_come_or_says_why_not) {
  for (const auto& [state, allowed] : kAllowed) {
    for (int c = 0; c <= static_cast<int>(Call::finish); ++c) {
      const auto which = static_cast<Call>(c);
      FakeServer server;
      Client client(server, 1, 0);
      bring_to(client, server, state);
      ASSERT_EQ(client.state(), state);
      if (which == Call::wants) server.reply_wants({});
      if (which == Call::commit) reply_commit(server);
      if (which == Call::finish) server.reply_farewell(0, "");

      std::string text;
      try {
        call(client, which);
      } catch (const UsageError& error) {
        text = error.what();
      }

      if (allowed.contains(which)) {
        EXPECT_EQ(text, "") << c_name(which) << " in state " << static_cast<int>(state);
      } else {
        EXPECT_EQ(text.find(std::string(c_name(which)) + " was called "), 0U) << text;
        EXPECT_NE(text.find("; "), std::string::npos) << text;
        EXPECT_EQ(client.state(), state) << text;
      }
    }
  }
}

std::string text_of(Call call, RunState state) {
  try {
    require_order(call, state);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CallOrder, text_names_the_call_and_the_state_and_what_is_right) {
  EXPECT_EQ(
      text_of(Call::finish, RunState::finish_failed),
      "pileus_finish was called after pileus_finish failed; it is called once, after pileus_commit and the "
      "pileus_end of the last step");
  EXPECT_EQ(text_of(Call::commit, RunState::wants_failed)
                .find("pileus_commit was called after pileus_wants failed; "),
            0U);
  EXPECT_EQ(text_of(Call::put, RunState::ready),
            "pileus_put was called before pileus_begin; fields are put between pileus_begin and pileus_end");
  EXPECT_EQ(text_of(Call::field, RunState::in_step),
            "pileus_field was called inside a step, before its pileus_end; everything is registered between "
            "pileus_start and pileus_commit");
  EXPECT_EQ(text_of(Call::end, RunState::between_steps),
            "pileus_end was called after pileus_end, before the next pileus_begin; it ends the step that "
            "pileus_begin "
            "began");
}

}  // namespace
}  // namespace pileus
