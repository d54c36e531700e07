// Frames that a server must not send, or not then: each stops the run with a sentence, and changes nothing.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "client/frames.h"
#include "core/log.h"
#include "core/testing/temporary_directory.h"
#include "exec/seeded_executor.h"
#include "formats/netcdf/netcdf_format.h"
#include "messaging/clock_frame.h"
#include "messaging/steps_done.h"
#include "messaging/trigger_frame.h"
#include "plan/sha256.h"
#include "report/report.h"
#include "server/commit.h"
#include "server/letters.h"
#include "server/server.h"
#include "transport/in_process/in_process_network.h"

namespace pileus::testing {
namespace {

constexpr ServerRank kServers = 3;
constexpr const char* kConfiguration = R"xml(<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="array" data_type="double" size="x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="w_max">
      <operator name="localreduce" operator="max" field="w" result="w_local"/>
      <communication name="reduction" operator="max" field="w_local" result="w_max"/>
    </diagnostic>
    <diagnostic field="w_rest">
      <operator name="localreduce" operator="mean" field="w" result="w_here"/>
      <communication name="allreduction" operator="mean" field="w_here" result="w_mean"/>
      <operator name="arithmetic" equation="w - w_mean" result="w_rest"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="w.nc" write_time_frequency="10">
      <include field="w_max" time_manipulation="none"/>
      <include field="w_rest" time_manipulation="none"/>
    </file>
    <file name="means.nc" write_time_frequency="1000">
      <include field="w_max" time_manipulation="averaged" output_frequency="10"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

RankDescription rank_description(ClientRank rank) {
  RankDescription description;
  description.dimensions = {{"x", 2 * kServers, {}, ""}};
  description.fields = {{"w", ElementType::float64, {"x"}, {{2 * static_cast<Index>(rank)}, {2}}}};
  return description;
}

/// Real servers in one thread, each with a model rank that the test plays.
class FramesOutOfTurn : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { log::set_level(log::Level::error); }

  FramesOutOfTurn() {
    std::ofstream(directory_.path("run.xml")) << kConfiguration;
    ServerSettings settings;
    settings.configuration = directory_.path("run.xml");
    settings.directory = directory_.path();
    settings.clients = {0, 1, 2};
    settings.servers = {3, 4, 5};
    settings.now = [this] { return now_; };
    for (Peer peer = 0; peer < 2 * kServers; ++peer) endpoints_.push_back(network_.endpoint(peer));
    const MakeExecutors executors = [this](std::optional<std::int64_t>) {
      return ServerExecutors{executor_, executor_, executor_, executor_};
    };
    for (settings.self = 0; settings.self < kServers; ++settings.self) {
      formats_.push_back(netcdf_format(*files_, Index{1} << 20));
      servers_.push_back(std::make_unique<Server>(settings, *endpoints_[kServers + settings.self], executors,
                                                  *files_, *formats_.back()));
    }
  }
  ~FramesOutOfTurn() override { executor_.run_until_idle(); }

  void send(Peer from, Peer to, const Bytes& frame) {
    std::unique_ptr<Slot> slot = endpoints_[from]->claim(to, kControl, frame.size());
    std::ranges::copy(frame, slot->bytes().begin());
    endpoints_[from]->commit(std::move(slot));
  }
  void send_between(ServerRank from, ServerRank to, const Bytes& frame) {
    send(kServers + from, kServers + to, frame);
    run();
  }
  /// Servers do everything that they have to do now.
  void run() {
    for (int rounds_left = 5; rounds_left > 0; --rounds_left) {
      for (const auto& server : servers_) {
        if (server->poll()) rounds_left = 5;
      }
      executor_.run_until_idle();
    }
  }
  /// Servers are ready for the first step after it.
  void commit() {
    for (ClientRank rank = 0; rank < kServers; ++rank) {
      Bytes frame;
      Encoder out(frame);
      out.put(FrameKind::registration);
      out.put(kWireVersion);
      out.put(kOnlyComponent.index);
      const RankCode code = encode_rank(rank_description(rank));
      out.put(planning::sha256({reinterpret_cast<const char*>(code.kind.data()), code.kind.size()}));
      out.put_raw(code.place);
      send(rank, kServers + rank, frame);
    }
    run();
    for (ClientRank rank = 0; rank < kServers; ++rank) describe(rank);
    run();
  }
  /// Each server has a rank alone, which it asks.
  void describe(ClientRank rank) {
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::description);
    out.put_raw(encode_rank(rank_description(rank)).kind);
    send(rank, kServers + rank, frame);
  }
  /// The texts that tell a model rank why the run cannot start, or has to end.
  std::string told(ClientRank rank) {
    std::string texts;
    while (const auto message = endpoints_[rank]->receive()) {
      Decoder in(message->bytes());
      const auto kind = in.get<FrameKind>();
      if (kind == FrameKind::refusal || kind == FrameKind::stopping) texts += in.get_text();
    }
    return texts;
  }
  void expect_told(const std::string& words) {
    for (ClientRank rank = 0; rank < kServers; ++rank) {
      const std::string text = told(rank);
      EXPECT_NE(text.find(words), std::string::npos) << "no \"" << words << "\" in: " << text;
    }
  }
  /// The description of this run, as servers get it.
  static RunDescription description() {
    RunDescription run;
    run.configuration_name = "run.xml";
    run.configuration_text = kConfiguration;
    for (ClientRank rank = 0; rank < kServers; ++rank) run.model.add(rank_description(rank));
    run.identity = {"0123456789abcdef", "2000-01-01T00:00:00Z"};
    run.directory = ".";
    return run;
  }
  /// Two servers of which none is above the other where `root` is the root.
  static std::pair<ServerRank, ServerRank> two_besides(ServerRank root) {
    return {(root + 1) % kServers, (root + 2) % kServers};
  }

  TemporaryDirectory directory_{fast_directory()};
  std::chrono::steady_clock::time_point now_;
  SeededExecutor executor_{0};
  InProcessNetwork network_{2 * kServers};
  std::unique_ptr<FileSystem> files_ = posix_file_system();
  std::vector<std::unique_ptr<FileFormat>> formats_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<std::unique_ptr<Server>> servers_;
};

Bytes clock_of(std::int64_t step) {
  return ClockTick{false, {step, 2.0 * static_cast<double>(step), 2}, 0}.encode();
}

TEST_F(FramesOutOfTurn, of_a_run_in_order_there_are_none) {
  commit();
  send_between(0, 1, clock_of(1));
  send_between(0, 1, clock_of(2));

  for (ClientRank rank = 0; rank < kServers; ++rank) EXPECT_EQ(told(rank), "");
}

TEST_F(FramesOutOfTurn, the_word_that_all_are_ready_needs_a_plan) {
  send_between(0, 1, bare_frame(ServerFrame::go));

  expect_told("all are ready, which this one is not");
}

struct WrongFrame {
  const char* name;
  ServerRank from, to;
  Bytes frame;
  const char* words;
};

Bytes steps_done(const StepsDone& news) { return encode_steps_done({&news, 1}); }

/// The file of the run has to have all of its records.
Bytes clock_without(std::size_t axis) {
  ClockTick tick{false, {1, 2, 2}, 0};
  tick.dropped = {{ScheduleId(axis), WhyDropped::memory}};
  return tick.encode();
}

Bytes nothing_registered() {
  Bytes frame = bare_frame(ServerFrame::registrations);
  Encoder(frame).put(std::uint64_t{0});
  return frame;
}

Bytes no_report() {
  Bytes frame = bare_frame(ServerFrame::over);
  Encoder out(frame);
  RunReport().encode_errors(out);
  return frame;
}

class FramesOfARun : public FramesOutOfTurn, public ::testing::WithParamInterface<WrongFrame> {};

INSTANTIATE_TEST_SUITE_P(
    , FramesOfARun,
    ::testing::Values(
        WrongFrame{"go_from_another", 1, 2, bare_frame(ServerFrame::go), "what server 0 alone says"},
        WrongFrame{"go_again", 0, 1, bare_frame(ServerFrame::go), "second time that all are ready"},
        WrongFrame{"begun_again", 1, 0, bare_frame(ServerFrame::begun), "second time that it is ready"},
        WrongFrame{"begun_to_another", 0, 1, bare_frame(ServerFrame::begun), "took this one for server 0"},
        WrongFrame{"registrations_again", 1, 0, nothing_registered(), "registrations that were all there"},
        WrongFrame{"registrations_from_above", 0, 1, nothing_registered(), "not below this one"},
        WrongFrame{"description_from_another", 2, 1, bare_frame(ServerFrame::run_description),
                   "not above this one"},
        WrongFrame{"description_again", 0, 1, bare_frame(ServerFrame::run_description),
                   "describes a run for the second time"},
        WrongFrame{"refusal", 2, 1, text_frame(ServerFrame::refusal, "too late"),
                   "refuses a run that has begun: too late"},
        WrongFrame{"wave_from_another", 2, 1, bare_frame(ServerFrame::wave), "what server 0 alone says"},
        WrongFrame{"wave_answer", 1, 0, bare_frame(ServerFrame::wave_answer), "did not ask"},
        WrongFrame{"over_from_another", 1, 0, no_report(), "what server 0 alone says"},
        WrongFrame{"stopping_from_another", 1, 2, text_frame(ServerFrame::stopping, "enough"),
                   "what server 0 alone says"},
        WrongFrame{"stop_to_another", 0, 1, text_frame(ServerFrame::stop, "enough"),
                   "took this one for server 0"},
        WrongFrame{"clock_from_beside", 2, 1, clock_of(1), "not above this one"},
        WrongFrame{"clock_from_below", 1, 0, clock_of(1), "not above this one"},
        WrongFrame{"clock_of_no_step", 0, 1, clock_of(-1), "the clock came to step -1 after step -1"},
        WrongFrame{"hurry_from_beside", 2, 1, bare_frame(ServerFrame::hurry), "not above this one"},
        WrongFrame{"clock_without_a_record", 0, 1, clock_without(1), "a file that has to have them"},
        WrongFrame{"clock_without_an_unknown_one", 0, 1, clock_without(99), "a file that has to have them"},
        WrongFrame{"trigger_that_is_not_asked_for", 1, 0, TriggerFrame{VariableId(0), 0, 0, true}.encode(),
                   "what nobody asked for"},
        WrongFrame{"trigger_to_another_than_the_first", 0, 1,
                   TriggerFrame{VariableId(0), 0, 0, true}.encode(), "took this one for server 0"},
        WrongFrame{"control_from_another", 1, 0, bare_frame(ServerFrame::control),
                   "asks another for what is asked of the run"},
        WrongFrame{"steps_done_from_above", 0, 1, steps_done({0, 1, 1}), "not below this one"},
        WrongFrame{"steps_done_of_another", 1, 0, steps_done({2, 1, 1}), "for a server that is not below it"},
        WrongFrame{"steps_done_of_nobody", 1, 0, steps_done({5, 1, 1}), "for a server that is not below it"},
        WrongFrame{"steps_done_ahead_of_the_clock", 1, 0, steps_done({1, 1, 1}), "that it was not told of"},
        WrongFrame{"steps_that_came_ahead_of_the_clock", 1, 0, steps_done({1, 0, 1}),
                   "that it was not told of"}),
    [](const auto& wrong) { return wrong.param.name; });

TEST_P(FramesOfARun, are_refused) {
  commit();

  send_between(GetParam().from, GetParam().to, GetParam().frame);

  expect_told(GetParam().words);
}

TEST_F(FramesOutOfTurn, the_clock_comes_to_a_step_once) {
  commit();
  send_between(0, 1, clock_of(2));

  send_between(0, 1, clock_of(2));

  expect_told("the clock came to step 2 after step 2");
}

TEST_F(FramesOutOfTurn, nothing_comes_after_the_end_of_the_clock) {
  commit();
  send_between(0, 1, ClockTick{true, {1, 0, 0}, 0}.encode());

  send_between(0, 1, clock_of(2));

  expect_told("the clock came to step 2 after its end");
}

TEST_F(FramesOutOfTurn, a_model_rank_that_repeats_its_step_is_not_followed) {
  commit();
  ClockFrame frame;
  frame.step = {1, 2, 2};
  Bytes bytes(sizeof frame);
  std::memcpy(bytes.data(), &frame, sizeof frame);
  for (int i = 0; i < 2; ++i) send(0, kServers, bytes);
  run();

  EXPECT_EQ(told(0), "") << "the run goes on";
}

TEST_F(FramesOutOfTurn, reductions_come_from_below) {
  Findings findings;
  const auto [from, to] = two_besides(plan_run(description(), kServers, findings).plan.trees.front().root);
  Bytes frame = bare_frame(ServerFrame::reduction);
  Encoder(frame).put(std::uint32_t{0});
  commit();

  send_between(from, to, frame);

  expect_told("sends up a tree in which it is not below this one");
}

TEST_F(FramesOutOfTurn, reductions_are_of_a_tree_that_there_is) {
  Bytes frame = bare_frame(ServerFrame::reduction);
  Encoder(frame).put(std::uint32_t{99});
  commit();

  send_between(1, 0, frame);

  expect_told("a tree that does not exist");
}

TEST_F(FramesOutOfTurn, what_all_servers_get_comes_from_above) {
  Findings findings;
  const PlannedRun run = plan_run(description(), kServers, findings);
  const auto [from, to] = two_besides(run.plan.distributions.front().root);
  Bytes frame = bare_frame(ServerFrame::distribution);
  Encoder(frame).put(std::uint32_t{0});
  Encoder(frame).put(std::int64_t{1});
  Encoder(frame).put(std::uint64_t{0});
  commit();

  send_between(from, to, frame);

  expect_told("sends values down a tree in which it is not above this one");
}

}  // namespace
}  // namespace pileus::testing
