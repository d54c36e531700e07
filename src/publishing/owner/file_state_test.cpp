#include "publishing/owner/file_state.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "disk/testing/memory_files.h"
#include "files/testing/small_plan.h"
#include "publishing/owner/continued_files.h"

namespace pileus::testing {
namespace {

PlannedFile planned() {
  PlannedFile file;
  file.name = "p.nc";
  file.write_frequency = 20;
  return file;
}

FileUnderWay file_state() {
  FileUnderWay state;
  state.definition = 77;
  state.attributes = {{"title", "t"}, {"n", std::int64_t{-1}}, {"x", 0.5}};
  state.temporary_name = ".p_20.nc.id-0.part";
  state.final_name = "p_20.nc";
  state.axes = {"time", "time_1"};
  state.is_complete = true;
  state.records = {{0, {1, 0, 5, 5, 5}, {{{4096, 80}, {8192, 16}}, 0x12345678, true}},
                   {1, {1, 0, 10, 0, 10}},
                   {0, {1, 1, 15, 15, 15}}};
  state.missing = {{0, 1, {{0}, {1}}, 2}};
  state.chunks = {{{7, 0, 0x9abcdef0}, {8, 1, 2, Loss{0.5, 0.25, 0.75, 3}}}, {}};
  state.layout = 99;
  state.needed_bytes = 4096;
  return state;
}

SeriesState series_state() {
  SeriesState state;
  state.names = series_text(planned());
  state.definition = 77;
  state.timeline = Bytes(12, std::byte{3});
  state.last_period = -2;
  for (std::int64_t period : {3, 1, 2, 7}) state.published.add(period);
  return state;
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const TransportError& error) {
    return error.what();
  }
  return "no error";
}

TEST(FileState, comes_back_as_it_was_kept) {
  const FileUnderWay state = file_state();
  const FileUnderWay file = decode_file(entry_of(planned(), 1, state));
  const SeriesState series = decode_series(entry_of(planned(), series_state()));

  EXPECT_EQ(file.definition, state.definition);
  ASSERT_EQ(file.attributes.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(file.attributes[i].name, state.attributes[i].name);
    EXPECT_EQ(file.attributes[i].value, state.attributes[i].value);
  }
  EXPECT_EQ(file.temporary_name, state.temporary_name);
  EXPECT_EQ(file.final_name, state.final_name);
  EXPECT_EQ(file.axes, state.axes);
  EXPECT_TRUE(file.is_complete);
  EXPECT_EQ(file.records, state.records);
  EXPECT_EQ(file.counts(2), (std::vector<Index>{2, 1}));
  EXPECT_EQ(file.missing, state.missing);
  EXPECT_EQ(file.chunks, state.chunks);
  EXPECT_EQ(file.layout, state.layout);
  EXPECT_EQ(file.needed_bytes, state.needed_bytes);
  EXPECT_EQ(series.names, "p.nc each 20 s, 0 steps");
  EXPECT_EQ(series.timeline, series_state().timeline);
  EXPECT_EQ(series.last_period, -2);
  EXPECT_EQ(series.published, series_state().published);
  EXPECT_EQ(series.failed, Periods());
}

TEST(FileState, has_the_last_step_of_a_complete_file_that_keeps_it) {
  FileUnderWay state = file_state();
  const StateEntry without = entry_of(planned(), 1, state);
  state.last_step = {7, 12.5};
  StateEntry entry = entry_of(planned(), 1, state);

  EXPECT_EQ(decode_file(without).last_step, std::nullopt);
  EXPECT_EQ(decode_file(entry).last_step, (LastStep{7, 12.5}));
  EXPECT_TRUE(decode_file(entry).is_complete);
  EXPECT_EQ(entry.bytes.size(), without.bytes.size() + 16);
  while (!entry.bytes.empty()) {
    entry.bytes.pop_back();
    EXPECT_NE(error_of([&] { decode_file(entry); }), "no error");
  }
  state.last_step->time_s = std::nan("");
  EXPECT_NE(error_of([&] { decode_file(entry_of(planned(), 1, state)); }), "no error");
}

TEST(FileState, names_the_file_whose_state_is_cut_short_at_any_byte) {
  StateEntry file = entry_of(planned(), 1, file_state()), series = entry_of(planned(), series_state());
  while (!file.bytes.empty()) {
    file.bytes.pop_back();
    EXPECT_TRUE(error_of([&] {
                  decode_file(file);
                }).starts_with("the state of the file p.nc, period 1 is damaged: "));
  }
  while (!series.bytes.empty()) {
    series.bytes.pop_back();
    EXPECT_TRUE(
        error_of([&] { decode_series(series); }).starts_with("the state of the files p.nc is damaged: "));
  }
}

TEST(FileState, refuses_what_no_file_can_be) {
  const auto refused = [](auto change) {
    FileUnderWay state = file_state();
    change(state);
    return error_of([&] { decode_file(entry_of(planned(), 1, state)); }) != "no error";
  };

  EXPECT_FALSE(refused([](FileUnderWay&) {}));
  EXPECT_TRUE(refused([](FileUnderWay& state) { state.records[0].axis = 2; }));
  EXPECT_TRUE(refused([](FileUnderWay& state) { state.records[0].bytes.ranges[0].offset = UINT64_MAX; }));
  EXPECT_TRUE(refused([](FileUnderWay& state) { state.records[0].mark.time_s = 0.0 / 0.0; }));
  EXPECT_TRUE(refused([](FileUnderWay& state) { state.temporary_name = "../other"; }));
  EXPECT_TRUE(refused([](FileUnderWay& state) { state.final_name = ""; }));
  EXPECT_TRUE(refused([](FileUnderWay& state) { state.chunks[0][0].size_bytes = std::uint64_t{1} << 40; }));
  EXPECT_NE(error_of([] { parse_file_key("p.nc"); }), "no error");
  EXPECT_NE(error_of([] { parse_file_key("p.nc\n1x"); }), "no error");
  EXPECT_EQ(parse_file_key("p\n2.nc\n-7"), (std::pair<std::string, std::int64_t>{"p\n2.nc", -7}));
}

TEST(Periods, join_what_lies_side_by_side_in_any_order) {
  Periods periods;
  for (std::int64_t period : {5, 1, 3, 2, 4, 9, 1}) periods.add(period);

  EXPECT_EQ(periods.ranges(), (std::map<std::int64_t, std::int64_t>{{1, 5}, {9, 9}}));
  for (std::int64_t period : {1, 3, 5, 9}) EXPECT_TRUE(periods.contains(period));
  for (std::int64_t period : {0, 6, 8, 10}) EXPECT_FALSE(periods.contains(period));
  EXPECT_TRUE(periods.contains_any(6, 9));
  EXPECT_FALSE(periods.contains_any(6, 8));
}

TEST(Periods, join_over_what_is_said_to_be_skipped) {
  Periods periods;
  for (std::int64_t period : {1, 3, 6, 9, 20}) periods.add(period);

  // 2 and the like are skipped, 7 is not, and the clock has come to 10.
  periods.join_where(
      [](std::int64_t first, std::int64_t last) { return last < 10 && !(first <= 7 && 7 <= last); });

  EXPECT_EQ(periods.ranges(), (std::map<std::int64_t, std::int64_t>{{1, 6}, {9, 9}, {20, 20}}));
}

/// All that is the same however records come in between.
TEST(FileDefinition, has_a_hash_of_all_but_the_attributes_of_the_file) {
  FileDefinition definition;
  definition.dimensions = {{"x", 4, {}, {}}};
  definition.axes = {{"time", true, {}, 3}};
  definition.variables = {{"w", ElementType::float64, {0}, 0, {{"units", "K"}}}};
  definition.attributes = {{"history", "today"}};
  const std::uint64_t hash = definition_hash(definition);
  const auto changed = [&](auto change) {
    FileDefinition other = definition;
    change(other);
    return definition_hash(other) != hash;
  };

  EXPECT_FALSE(changed([](FileDefinition& other) { other.attributes.clear(); }));
  EXPECT_TRUE(changed([](FileDefinition& other) { other.dimensions[0].size = 5; }));
  EXPECT_TRUE(changed([](FileDefinition& other) { other.axes[0].block_records = 4; }));
  EXPECT_TRUE(changed([](FileDefinition& other) { other.variables[0].type = ElementType::float32; }));
  EXPECT_TRUE(changed([](FileDefinition& other) { other.variables[0].compression = {&codecs::zstd(), 1}; }));
  EXPECT_TRUE(changed([](FileDefinition& other) { other.variables[0].attributes[0].value = "C"; }));
}

TEST(Leftovers, of_the_run_go_but_for_those_of_attempts_with_checkpoints) {
  MemoryFiles disk;
  for (const char* name : {"out/.p_1.nc.id-0.part", "out/.p_2.nc.id-1.part", "out/.p_3.nc.id-12.part",
                           "out/.p_4.nc.other-1.part", "out/p_5.nc", "out/.p_6.nc.id-.part",
                           "out/.p_7.nc.id-1x.part", "out/p_8.nc.id-1.part"}) {
    disk.files[name] = {};
  }

  const std::vector<std::string> removed = remove_leftovers("out", "id", {0}, disk);

  EXPECT_EQ(removed, (std::vector<std::string>{".p_2.nc.id-1.part", ".p_3.nc.id-12.part"}));
  EXPECT_EQ(disk.files.size(), 6U);
}

}  // namespace
}  // namespace pileus::testing
