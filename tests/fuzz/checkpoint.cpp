// Takes any bytes as the manifest or as a part of a checkpoint, from which the small run continues. The first
// byte says which.

#include "checkpoint/continuation.h"
#include "core/error.h"
#include "tests/fuzz/target.h"
#include "time/continued_windows.h"
#include "time/file_timeline.h"
#include "time/window_set.h"

namespace pileus::testing {
namespace {

constexpr double kAfter_s = 12.5;

const Plan& plan() {
  static const PlannedRun run = [] {
    Findings findings;
    return plan_run(small_run(), 2, findings);
  }();
  return run.plan;
}

Region plane_of(ClientRank rank) { return {{0, 3 * static_cast<Index>(rank)}, {4, 3}}; }

class NoRecords : public RecordSink {
 public:
  void add(Records, ClientRank) override {}
  void add_static(Record, ClientRank) override {}
  void end_client(ClientRank) override {}
};

WindowSet windows_of(ClientRank rank, const ContinuedWindows* continued) {
  std::vector<VariableId> variables;
  for (std::size_t v = 0; v < plan().variables.size(); ++v) {
    if (plan()[plan().variables[v].value].spread == Spread::distributed) variables.emplace_back(v);
  }
  static NoRecords no_records;
  return {plan(), variables, std::vector<Region>(plan().values.size(), plane_of(rank)), rank, no_records,
          {},     continued};
}

/// A part, with the length of its directory in front. Checksums are not looked at, as no search finds them.
std::vector<StateEntry> entries_in(std::span<const std::byte> bytes) {
  const auto directory_bytes = Decoder(bytes).get<std::uint32_t>();
  bytes = bytes.subspan(sizeof directory_bytes);
  if (directory_bytes > bytes.size()) throw TransportError("a directory is longer than its part");
  std::vector<StateEntry> entries;
  for (EntryPlace& place : decode_directory(bytes.first(directory_bytes), bytes.size())) {
    const auto raw = bytes.subspan(place.first, place.size);
    entries.push_back(
        {std::move(place.kind), std::move(place.key), place.region, Bytes(raw.begin(), raw.end())});
  }
  return entries;
}

/// Does with the entries of all parts what servers do.
void go_on_with(std::span<const std::byte> bytes) {
  Continuation continuation;
  continuation.step = {5, kAfter_s, 2.5};
  for (StateEntry& entry : entries_in(bytes)) continuation.entries.add(std::move(entry));
  Plan continued_plan = plan();
  go_on(continued_plan, continuation);
  const ContinuedWindows continued(plan(), continuation.entries, kAfter_s);
  const ScheduleActions last = ScheduleCursors(plan(), &continued).finish();
  for (ClientRank rank : {0U, 1U}) windows_of(rank, &continued).finish(last);
  for (std::size_t s = 0; s < plan().schedules.size(); ++s) {
    ScheduleCursor cursor = continued.cursor(ScheduleId(s));
    cursor.advance({6, kAfter_s + 2.5, 2.5});
  }
}

/// The state that the small run keeps after some steps.
std::vector<StateEntry> some_entries() {
  std::vector<StateEntry> entries = entries_of(plan(), NeedTracker(plan().needs, 0));
  std::vector<ScheduleCursor> cursors;
  for (const Schedule& schedule : plan().schedules) {
    const PlannedFile& file = plan()[schedule.file];
    cursors.emplace_back(schedule, FilePeriods(file.write_frequency, file.write_frequency_steps), 0.0);
  }
  for (ClientRank rank : {0U, 1U}) {
    WindowSet windows = windows_of(rank, nullptr);
    ScheduleCursors together(plan());
    for (std::int64_t step = 1; step <= 5; ++step) {
      const Step shown{step, 2.5 * static_cast<double>(step), 2.5};
      const std::vector<double> numbers(12, static_cast<double>(step));
      windows.advance(together.advance(shown, 0),
                      std::vector<Sample>(plan().values.size(), make_array(numbers, {4, 3})));
      if (rank == 0) {
        for (ScheduleCursor& cursor : cursors) cursor.advance(shown);
      }
    }
    for (StateEntry& entry : windows.state()) entries.push_back(std::move(entry));
  }
  for (std::size_t s = 0; s < cursors.size(); ++s)
    entries.push_back(axis_entry(plan(), ScheduleId(s), cursors[s]));
  return entries;
}

Manifest some_manifest() {
  Manifest manifest;
  manifest.run = "0123456789abcdef";
  manifest.history = "2000-01-01T00:00:00Z";
  manifest.step = {5, kAfter_s, 2.5};
  set_parts(manifest, {{{{"window", "w"}}, {100, 1, 2, {{{0}, {{3}, {4}}}}}}, {{}, {200, 2, 3, {}}}});
  return manifest;
}

Bytes part_with_length(std::span<const StateEntry> entries) {
  const EncodedPart part = encode_part(entries);
  Bytes bytes;
  Encoder out(bytes);
  out.put(static_cast<std::uint32_t>(part.summary.directory_bytes));
  out.put_raw(part.bytes);
  return bytes;
}

std::string seed(char kind, const Bytes& bytes) {
  return std::string(1, kind).append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::vector<std::string> seeds() {
  FileTimeline timeline(plan(), FileId(0), 0);
  timeline.advance({2, 5, 2.5});
  Bytes kept;
  Encoder out(kept);
  timeline.encode(out);
  Bytes manifest = encode_manifest(some_manifest());
  manifest.resize(manifest.size() - sizeof(std::uint32_t));  // its checksum
  std::vector<std::string> all = {seed(0, manifest), seed(1, part_with_length(some_entries())),
                                  seed(2, kept)};
  for (const StateEntry& entry : some_entries())
    all.push_back(seed(1, part_with_length(std::span(&entry, 1))));
  return all;
}

std::vector<std::string> words() { return {}; }

}  // namespace pileus::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  try {
    switch (data[0] % 3) {
      case 0: {
        // The right checksum is added, as no search finds it.
        pileus::Bytes whole(bytes.begin(), bytes.end());
        pileus::Encoder(whole).put(pileus::checksum(bytes));
        pileus::decode_manifest(whole);
        break;
      }
      case 1: pileus::testing::go_on_with(bytes); break;
      default: {
        pileus::FileTimeline timeline(pileus::testing::plan(), pileus::FileId(0), 0);
        pileus::Decoder in(bytes);
        timeline.restore(in);
        timeline.advance({3, 7.5, 2.5});
      }
    }
  } catch (const pileus::TransportError&) {
    // The run is refused with this reason.
  }
  return 0;
}
