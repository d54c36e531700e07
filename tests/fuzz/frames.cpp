// Takes any bytes as a frame between servers, or between a server and a client. The first byte says which.

#include <cstring>
#include <functional>

#include "analytics/sample_code.h"
#include "analytics/tree_values.h"
#include "client/extracts.h"
#include "client/frames.h"
#include "core/error.h"
#include "core/wants.h"
#include "files/file_frames.h"
#include "messaging/clock_frame.h"
#include "plan/demand.h"
#include "plan/sha256.h"
#include "plan/step_limits.h"
#include "publishing/check_frames.h"
#include "publishing/owner/continued_files.h"
#include "report/report.h"
#include "server/commit.h"
#include "streams/read_parcel.h"
#include "tests/fuzz/target.h"
#include "time/file_timeline.h"

namespace pileus::testing {
namespace {

const Plan& plan() {
  static const PlannedRun run = [] {
    Findings findings;
    return plan_run(small_run(), 2, findings);
  }();
  return run.plan;
}

/// A run of which model ranks hand over a level of u, sums and extremes of v, and floats of w.
const Plan& plan_of_extracts() {
  static const PlannedRun run = [] {
    RunDescription run = small_run();
    run.configuration_text = R"xml(<io-configuration>
  <server-configuration><pushdown budget="10 s"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="u" size="y,x" collective="true"/>
    <field name="v" size="y,x" collective="true" pushdown="yes"/>
    <field name="w" size="y,x" collective="true" precision="float"/>
  </data-definition>
  <data-handling>
    <diagnostic field="row"><operator name="field_slicer" field="u" dimension="x" index="40" result="row"/>
    </diagnostic>
    <diagnostic field="mean" expression="mean[y,x](v)"/>
    <diagnostic field="most" expression="max[y,x](v)"/>
  </data-handling>
  <data-writing>
    <file name="a.nc" write_time_frequency="20">
      <include field="row" time_manipulation="none"/>
      <include field="mean" time_manipulation="none"/>
      <include field="most" time_manipulation="none"/>
      <include field="w" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";
    run.model = {};
    for (Index rank = 0; rank < 2; ++rank) {
      RankDescription one;
      one.dimensions = {{"y", 16, {}, ""}, {"x", 64, {}, ""}};
      for (const char* name : {"u", "v", "w"})
        one.fields.push_back({name, ElementType::float64, {"y", "x"}, {{0, 32 * rank}, {16, 32}}});
      run.model.add(one);
    }
    Findings findings;
    return plan_run(run, 2, findings);
  }();
  return run.plan;
}

class BytesMessage : public Message {
 public:
  explicit BytesMessage(std::span<const std::byte> bytes) : bytes_(bytes.begin(), bytes.end()) {}
  Peer from() const override { return 1; }
  std::span<const std::byte> bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
};

/// Does with the frame's bytes what a receiver does.
using Read = std::function<void(std::span<const std::byte>)>;

template <class Decode>
Read decoding(Decode decode) {
  return [decode](std::span<const std::byte> bytes) {
    Decoder in(bytes);
    decode(in);
  };
}

SeriesState series_state() {
  SeriesState state;
  state.names = series_text(plan().files[0]);
  state.definition = definition_hash(file_definition(plan(), FileId(0), {}));
  Encoder out(state.timeline);
  FileTimeline(plan(), FileId(0), 0).encode(out);
  state.last_period = 2;
  for (std::int64_t period : {1, 2, 5}) state.published.add(period);
  state.failed.add(4);
  return state;
}

FileUnderWay file_state() {
  FileUnderWay state;
  state.definition = series_state().definition;
  state.attributes = {{"title", "t"}, {"n", std::int64_t{1}}, {"x", 0.5}};
  state.temporary_name = ".a_20.nc.id-0.part";
  state.final_name = "a_20.nc";
  state.axes = {"time"};
  state.records = {{0, {1, 0, 5, 5, 5}}, {0, {1, 1, 10, 10, 10}}};
  state.missing = {{0, 1, {{0}, {1}}, 2}};
  state.chunks = {{{7, 0}, {8, 1}}};
  return state;
}

Wants wants() {
  WantedField field;
  field.name = "a::w";
  field.sizes = {"z", "y"};
  field.has_sizes = true;
  field.outputs = {{}};
  return {{{"raw", "a", 5, 0, true, 0, 1}}, {field}};
}

/// Does with one entry what a run that continues does; the other entries of the same file are right.
Read continuing(std::string_view kind, const std::string& key) {
  return [kind, key](std::span<const std::byte> bytes) {
    StateEntries entries;
    if (kind == kFileKind) entries.add(entry_of(plan().files[0], series_state()));
    entries.add({std::string(kind), key, {}, Bytes(bytes.begin(), bytes.end())});
    continued_files(plan(), entries, {10, 10, 5});
  };
}

const std::vector<Read>& kinds() {
  static const std::vector<Read> all = {
      [](std::span<const std::byte> bytes) {
        read_parcel(plan(), 1, extracts_of(plan(), 1), std::make_shared<BytesMessage>(bytes));
      },
      decoding([](Decoder& in) { ClockTick::decode(in); }),
      decoding([](Decoder& in) { RunDescription::decode(in); }),
      decoding([](Decoder& in) { RunReport::decode(in).text(); }),
      decoding([](Decoder& in) { RunReport::decode(in).json(); }),
      decoding([](Decoder& in) { check(plan(), decode_placement(in)); }),
      decoding([](Decoder& in) { check(plan(), decode_closing(in)); }),
      decoding([](Decoder& in) { check(plan(), decode_parts_done(in)); }),
      [](std::span<const std::byte> bytes) {
        auto message = std::make_shared<BytesMessage>(bytes);
        Decoder in(message->bytes());
        check(plan(), nullptr, decode_part(in, message));
      },
      decoding([](Decoder& in) { Demand::decode(in); }),
      decoding([](Decoder& in) {
        Registrations all(2);
        all.add_all(in, [](ClientRank client) { return client < 2; });
        all.model();
      }),
      decoding([](Decoder& in) { static_cast<void>(Registrations(2).add(1, in)); }),
      decoding([](Decoder& in) {
        for (std::size_t tree = 0; tree < plan().trees.size(); ++tree) {
          Decoder copy = in;
          TreeValues::decode(plan(), tree, copy)->merge(*TreeValues::all_absent(plan(), tree));
        }
      }),
      decoding([](Decoder& in) { check(plan(), nullptr, decode_packed_part(in)); }),
      decoding([](Decoder& in) { check(plan(), decode_progress(in)); }),
      decoding([](Decoder& in) { check(plan(), decode_cut(in)); }),
      decoding([](Decoder& in) { check(plan(), decode_cut_synced(in)); }),
      continuing(kFileKind, file_key(plan().files[0], 1)),
      continuing(kSeriesKind, plan().files[0].name),
      decoding([](Decoder& in) {
        const Sample sample = decode_sample(in);
        if (is_absent(sample)) return;
        to_doubles(sample, 0.0);
        Bytes again;
        Encoder out(again);
        encode_sample(sample, out);
        Decoder copy(again);
        decode_sample(copy);
      }),
      decoding([](Decoder& in) {
        StepLimits limits(decode_step_limits(in), 0);
        for (const Step& step : {Step{1, 5, 5}, Step{2, 1e15, 1e15}}) {
          limits.problem(step);
          limits.advance(step);
        }
      }),
      decoding([](Decoder& in) { Wants::decode(in); }),
      [](std::span<const std::byte> bytes) {
        const Plan& plan = plan_of_extracts();
        const Parcel parcel =
            read_parcel(plan, 1, extracts_of(plan, 1), std::make_shared<BytesMessage>(bytes));
        for (const auto& [value, sample] : parcel.made) to_doubles(sample);
      },
  };
  return all;
}

std::string seed(std::size_t kind, const Bytes& bytes, std::size_t skipped = 0) {
  std::string text(1, static_cast<char>(kind));
  return text.append(reinterpret_cast<const char*>(bytes.data()) + skipped, bytes.size() - skipped);
}

Bytes encoded(const std::function<void(Encoder&)>& encode) {
  Bytes bytes;
  Encoder out(bytes);
  encode(out);
  return bytes;
}

/// Partials of values that need all their bytes, and of values that need few.
Sample partials(Reduction reduction) {
  const std::vector<double> values = {1e300, -5e-324, 3, 0.1};
  std::vector<Partial> partials;
  for (std::size_t count = 0; count <= values.size(); ++count) {
    Partial& partial = partials.emplace_back(reduction);
    const auto first = std::span(values).first(count);
    if (declaration_of(reduction).is_weighted) {
      partial.add_weighted({first}, {first}, first);
    } else if (declaration_of(reduction).takes_pairs) {
      partial.add_pairs({first}, {first});
    } else {
      partial.add(first);
    }
    partial.divide(3);
  }
  return PartialArray{{static_cast<Index>(partials.size())}, std::make_shared<Partials>(reduction, partials)};
}

/// Sums that lie side by side, for whatever the tree sums.
TreeValues column_of_a_tree() {
  TreeValues values(plan(), 0);
  for (std::size_t i = 0; i < plan().trees[0].communications.size(); ++i) {
    const Extents extents = plan().extents(plan()[plan().trees[0].communications[i]].output);
    const auto size = static_cast<std::size_t>(Region{{}, extents}.size());
    values.set(i, make_array(std::vector<double>(size, 0x1p40), extents));
  }
  return values;
}

Bytes parcel() {
  ParcelHeader header;
  header.step = {2, 5, 2.5};
  header.field_count = 1;
  const FieldEntry entry = {1, Held::nothing, 0, 0};
  Bytes bytes(sizeof header + sizeof entry);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &entry, sizeof entry);
  return bytes;
}

/// The parcel of rank 1 in which each field is extracts.
Bytes parcel_of_extracts() {
  const GroupDemand group = plan_of_extracts().demand(1, 1000).groups.at(0);
  const std::vector<double> values(16 * 32, 0.1);
  const Extents counts{16, 32};
  NeedTracker needs(plan_of_extracts().demand(1, 1000).needs, 0.0);
  needs.advance({1, 1, 1});
  ParcelHeader header;
  header.field_count = static_cast<std::uint32_t>(group.fields.size());
  std::vector<FieldEntry> entries;
  std::uint64_t end = 128;
  for (const FieldDemand& field : group.fields) {
    const std::uint64_t size = extract_offsets(field.extracts, counts).back();
    entries.push_back({static_cast<std::uint32_t>(entries.size()), Held::extracts, end, size});
    end += (size + 63) / 64 * 64;
  }
  Bytes bytes(end);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, entries.data(), entries.size() * sizeof(FieldEntry));
  for (const FieldEntry& entry : entries)
    write_extracts({reinterpret_cast<const std::byte*>(values.data()),
                    ElementType::float64,
                    {counts.begin(), counts.end()},
                    {}},
                   group.fields[entry.field], needs, bytes.data() + entry.offset);
  return bytes;
}

RunReport report() {
  RunReport report;
  report.clients = {{0, {}}};
  report.servers = {ServerFigures{}};
  report.timelines = {{0, {TimelinePoint{}, TimelinePoint{}}}};
  report.costs["rule"] = {};
  report.absences["a.nc: w"] = {1, 2, 3};
  report.files = {{"a_20.nc", 2, {}, "a.nc", 0.5}};
  report.errors = {"none"};
  return report;
}

}  // namespace

std::vector<std::string> seeds() {
  static_assert(sizeof(ParcelHeader) + 3 * sizeof(FieldEntry) <= 128);
  constexpr std::size_t kKind = sizeof(ServerFrame);  // the receiver has read it before
  const FilePeriod file{FileId(0), 1};
  AxisGrowth growth;
  growth.records = 1;
  growth.time_offsets = {64};
  const Record record = {VariableId(0), {1, 0, 5, 0, 10}, {{0, 0}, {1, 1}}, std::nullopt, nullptr};
  const Bytes reported = encoded([](Encoder& out) { report().encode(out); });
  Registrations registrations(1);
  const RankCode code = encode_rank(small_run().model[0]);
  const Bytes registered = encoded([&](Encoder& out) {
    out.put(kWireVersion);
    out.put(kOnlyComponent.index);
    out.put(planning::sha256({reinterpret_cast<const char*>(code.kind.data()), code.kind.size()}));
    out.put_raw(code.place);
  });
  Decoder in(registered), kind(code.kind);
  if (registrations.add(0, in)) registrations.add_description(0, kind);
  std::vector<std::string> seeds = {
      seed(0, parcel()),
      seed(1, ClockTick{false, {2, 5, 2.5}, 0}.encode(), kKind),
      seed(2, small_run().encode(), kKind),
      seed(3, reported),
      seed(4, reported),
      seed(5, encode(Placement{file, 0, growth}), kKind),
      seed(6, encode(Closing{file, false, false, {1, 2}}), kKind),
      seed(7, encode(PartsDone{file, "failed", {{0, 1, {{0}, {1}}, 2}}}), kKind),
      seed(8, encode(Part{record, 1}), kKind),
      seed(9, encoded([](Encoder& out) { plan().demand(1, 1000).encode(out); })),
      seed(10, registrations.encode(ServerFrame::registrations), kKind),
      seed(11, registered),
      seed(12, encoded([](Encoder& out) { TreeValues::all_absent(plan(), 0)->encode(out); })),
      seed(12, encoded([](Encoder& out) { column_of_a_tree().encode(out); })),
      seed(13, encode(PackedPart{file, 0, 1, 2, {}}), kKind),
      seed(14, encode(Progress{file, 1, 3, 2}), kKind),
      seed(15, encode(Cut{file, 7, {3, 2}}), kKind),
      seed(16, encode(CutSynced{file, 7, {{0, 1, {{0}, {1}}, 2}}}), kKind),
      seed(17, entry_of(plan().files[0], 1, file_state()).bytes),
      seed(18, entry_of(plan().files[0], series_state()).bytes),
      seed(20, encoded([](Encoder& out) { encode(step_limits(plan()), out); })),
      seed(21, encoded([](Encoder& out) { wants().encode(out); })),
      seed(22, parcel_of_extracts())};
  for (const ReductionDeclaration& one : kDeclaredReductions) {
    seeds.push_back(seed(19, encoded([&](Encoder& out) { encode_sample(partials(one.reduction), out); })));
  }
  return seeds;
}

std::vector<std::string> words() { return {}; }

}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto& kinds = pileus::testing::kinds();
  try {
    kinds[data[0] % kinds.size()](std::as_bytes(std::span(data + 1, size - 1)));
  } catch (const pileus::TransportError&) {
    // The sender is told, or its frame is dropped.
  }
  return 0;
}
