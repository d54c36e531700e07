// Takes any bytes as a frame with which one server tells another about points, before the run or in a step.
// The first byte says which frame: of fields on points or of a regridding.

#include <array>
#include <deque>

#include "core/error.h"
#include "core/error_list.h"
#include "exec/seeded_executor.h"
#include "messaging/frames.h"
#include "points/dealing.h"
#include "points/start.h"
#include "regrid/regridder.h"
#include "regrid/start.h"
#include "regrid/testing/regrid_model.h"
#include "tests/fuzz/target.h"

namespace pileus::testing {
namespace {

/// Keeps what one server sends.
struct Sent : Messages {
  struct Frame {
    ServerRank to;
    Bytes bytes;
  };
  void send(ServerRank to, Bytes frame) override { frames.push_back({to, std::move(frame)}); }

  /// The first to `to` of this kind, behind the kind and `skipped` bytes.
  std::string seed(char first, ServerRank to, ServerFrame kind, std::size_t skipped = 0) const {
    for (const Frame& frame : frames) {
      Decoder in(frame.bytes);
      if (frame.to != to || in.get<ServerFrame>() != kind) continue;
      const std::span<const std::byte> rest = in.rest().subspan(skipped);
      return std::string(1, first).append(reinterpret_cast<const char*>(rest.data()), rest.size());
    }
    throw std::logic_error("no such frame");
  }

  std::vector<Frame> frames;
};

struct Settled : SettledPoints {
  void settle(ClientRank, std::int64_t, std::shared_ptr<const BroadcastValues>) override { ++steps; }
  int steps = 0;
};

/// A right frame has to complete the step.
template <class Servers>
void require_that_seeds_do(Servers& servers) {
  const std::string seed = servers.seeds()[1].substr(1);
  if (servers.take_step(std::as_bytes(std::span(seed))) != 1) throw std::logic_error("a seed does nothing");
}

/// Two servers with a model rank each, and two fields on 24 points that are dealt in turn.
class PointServers {
 public:
  PointServers() {
    RunDescription run = small_run();
    run.configuration_text = R"xml(<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" size="x,y,z" collective="true"/>
    <field name="u" data_type="float" size="z,x,y" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="a.nc" write_time_frequency="20">
      <include field="t" time_manipulation="none"/>
      <include field="u" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";
    run.model = {};
    for (ClientRank rank = 0; rank < 2; ++rank) {
      RankDescription one;
      one.dimensions = {{"x", 4, {}, ""}, {"y", 6, {}, ""}, {"z", 2, {}, ""}};
      one.points = {{"cells", {"x", "y"}, false}};
      one.fields.push_back({"t", ElementType::float64, {"x", "y", "z"}, {{0, 0, 0}, {12, 1, 2}}});
      one.fields.push_back({"u", ElementType::float32, {"z", "x", "y"}, {{0, 0, 0}, {2, 12, 1}}});
      for (ModelField& field : one.fields) field.points = 0;
      run.model.add(one);
    }
    Findings findings;
    ranks_ = run.model;
    plan_ = plan_run(run, 2, findings).plan;
    for (ServerRank server = 0; server < 2; ++server) begin(starts_[server], server, sent_[server]);
    for (ServerRank server = 0; server < 2; ++server)
      for (const Sent::Frame& frame : sent_[server].frames) {
        Decoder in(frame.bytes);
        in.get<ServerFrame>();
        starts_[frame.to].take(server, in);
      }
    for (PointStart& start : starts_)
      if (!start.has_completed() || !start.finish().empty()) throw std::logic_error("points do not begin");
    run_step(
        1, [](Dealing&) {}, sent_[1]);
  }

  void take_directory(Decoder& in) {
    Sent sent;
    PointStart start;
    begin(start, 0, sent);
    start.take(1, in);
    if (start.has_completed()) start.finish();
  }
  int take_step(std::span<const std::byte> bytes) {
    Sent sent;
    return run_step(
        0, [&](Dealing& dealing) { dealing.receive(1, Decoder(bytes), nullptr); }, sent);
  }
  std::vector<std::string> seeds() const {
    return {sent_[1].seed(0, 0, ServerFrame::point_directory), sent_[1].seed(1, 0, ServerFrame::points, 4)};
  }

 private:
  void begin(PointStart& start, ServerRank self, Sent& sent) {
    Bytes bytes;
    Encoder out(bytes);
    out.put(std::uint32_t{0});
    IndexRanges ranges;
    for (Index point = self; point < 24; point += 2) add_index(ranges, point);
    encode_ranges(ranges, out);
    Decoder in(bytes);
    start.keep(self, in);
    start.begin(plan_, ranks_, self, sent);
  }
  template <class Receive>
  int run_step(ServerRank self, const Receive& receive, Sent& sent) {
    SeededExecutor executor(1);
    ErrorList errors;
    Settled settled;
    Dealing dealing(plan_, GroupId(0), self, {self}, *starts_[self].directory(), executor, sent, errors,
                    settled);
    dealing.advance(3, {FieldId(0), FieldId(1)}, nullptr);
    receive(dealing);
    const std::vector<double> t(24, 1);
    const auto floats = std::make_shared<const std::vector<float>>(24, 1.0F);
    const Array u{
        ElementType::float32, {2, 12, 1}, {floats, reinterpret_cast<const std::byte*>(floats->data())}};
    dealing.add(self, 3, {{FieldId(0), make_array(t, {12, 1, 2})}, {FieldId(1), u}});
    try {
      executor.run_until_idle();
    } catch (...) {
      executor.drop_all();
      throw;
    }
    return settled.steps;
  }

  Plan plan_;
  ModelRanks ranks_;
  std::array<Sent, 2> sent_;
  std::array<PointStart, 2> starts_;
};

struct NoFile : ReadWeights {
  LinkRows links(const Regridding&, Index, Index) const override { throw UsageError("there is no file"); }
  PlacesOfBox places(const std::string&, Index, Index) const override { return {}; }
};

/// Two servers with a group of regriddings in which each needs something of the other.
class RegridServers {
 public:
  RegridServers() : model_(model()), plan_(model_.plan()) {
    for (ServerRank server = 0; server < 2; ++server)
      starts_[server].begin(plan_, server, NoFile(), sent_[server]);
    for (ServerRank server = 0; server < 2; ++server)
      for (const Sent::Frame& frame : sent_[server].frames) {
        Decoder in(frame.bytes);
        in.get<ServerFrame>();
        starts_[frame.to].take(server, in);
      }
    run_step(
        1, [](Regridder&) {}, sent_[1]);
  }

  void take_directory(Decoder& in) {
    Sent sent;
    RegridStart start;
    start.begin(plan_, 0, NoFile(), sent);
    start.take(1, in);
    static_cast<void>(start.is_complete());
  }
  int take_step(std::span<const std::byte> bytes) {
    Sent sent;
    return run_step(
        0, [&](Regridder& group) { group.receive(1, Decoder(bytes), nullptr); }, sent);
  }
  std::vector<std::string> seeds() const {
    return {sent_[1].seed(2, 0, ServerFrame::regrid_directory), sent_[1].seed(3, 0, ServerFrame::regrid, 4)};
  }

 private:
  static RegridModel model() {
    RegridModel made;
    made.ranks = made.servers = 2;
    made.served_by = {0, 1};
    LinkedGrids grids{{6}, {4}, false, {}};
    for (Index row = 0; row < 4; ++row) {
      for (Index point = row % 2; point < 6; point += 2) {
        grids.links.source.push_back(point);
        grids.links.weight.push_back(0.5);
      }
      grids.links.begin.push_back(grids.links.source.size());
    }
    made.groups.push_back(grids);
    RegridInput input;
    input.extents = {6, 2};
    input.axes = {0};
    input.held = {{{0, 0}, {3, 2}}, {{3, 0}, {3, 2}}};
    made.inputs = {input, input};
    made.inputs[1].missing = -9.0;
    return made;
  }
  template <class Receive>
  int run_step(ServerRank self, const Receive& receive, Sent& sent) {
    SeededExecutor executor(1);
    Settled settled;
    Regridder group(plan_, 0, self, {self}, *starts_[self].directory(), executor, sent, settled);
    group.advance(3, {RuleId(0), RuleId(1)}, nullptr);
    receive(group);
    const Array part = make_array(std::vector<double>(6, 1), {3, 2});
    group.add(self, 3, {{RuleId(0), part, {}}, {RuleId(1), part, {}}});
    try {
      executor.run_until_idle();
    } catch (...) {
      executor.drop_all();
      throw;
    }
    return settled.steps;
  }

  RegridModel model_;
  Plan plan_;
  std::array<Sent, 2> sent_;
  std::array<RegridStart, 2> starts_;
};

PointServers& points() {
  static PointServers servers;
  return servers;
}

RegridServers& regriddings() {
  static RegridServers servers;
  return servers;
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all = points().seeds();
  for (std::string& seed : regriddings().seeds()) all.push_back(std::move(seed));
  return all;
}

std::vector<std::string> words() { return {}; }

}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  using namespace pileus::testing;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data + 1, size - 1));
  pileus::Decoder in(bytes);
  try {
    switch (data[0] % 4) {
      case 0: points().take_directory(in); break;
      case 1: points().take_step(bytes); break;
      case 2: regriddings().take_directory(in); break;
      default: regriddings().take_step(bytes);
    }
  } catch (const pileus::TransportError&) {
    // The run stops, as its step could not be complete.
  }
  return 0;
}
