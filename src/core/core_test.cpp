#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/encoder.h"
#include "core/error.h"
#include "core/model_description.h"
#include "core/region.h"
#include "core/step.h"
#include "core/suggest.h"
#include "core/usable_cores.h"

namespace pileus {
namespace {

// ---- Region ----

/// Offset, local offset and length of each run, as text that is easy to compare.
std::string text_of(const std::vector<Run>& runs) {
  std::string out;
  for (const Run& run : runs) {
    out += "(" + std::to_string(run.global_offset) + " " + std::to_string(run.local_offset) + " " +
           std::to_string(run.length) + ")";
  }
  return out;
}

/// Element by element: what the definition says, without any thought of speed.
std::vector<Run> runs_by_elements(const Region& region, const std::vector<Index>& extents) {
  std::vector<Run> runs;
  for (Index element = 0; element < region.size(); ++element) {
    Index rest = element, offset = 0, stride = 1;
    for (int d = 0; d < region.rank(); ++d) {
      offset += (region.start[d] + rest % region.count[d]) * stride;
      rest /= region.count[d];
      stride *= extents[d];
    }
    if (!runs.empty() && runs.back().global_offset + runs.back().length == offset) {
      ++runs.back().length;
    } else {
      runs.push_back({offset, element, 1});
    }
  }
  return runs;
}

TEST(Region, of_a_scalar_has_one_element_in_one_run) {
  const Region scalar;

  EXPECT_EQ(scalar.size(), 1);
  EXPECT_EQ(text_of(contiguous_runs(scalar, {})), "(0 0 1)");
  EXPECT_EQ(text(scalar), "[]");
}

TEST(Region, that_is_empty_has_no_runs) {
  EXPECT_EQ(text_of(contiguous_runs({{0}, {0}}, {5})), "");
  EXPECT_EQ(text_of(contiguous_runs({{0, 2, 0}, {4, 0, 3}}, {4, 5, 3})), "");
  EXPECT_EQ(text_of(contiguous_runs({{0}, {0}}, {0})), "");
}

TEST(Region, that_is_the_whole_array_is_one_run) {
  EXPECT_EQ(text_of(contiguous_runs({{0, 0, 0}, {4, 5, 3}}, {4, 5, 3})), "(0 0 60)");
}

TEST(Region, of_whole_rows_is_one_run) {
  // Rows of 4: rows 2 and 3 of 5 are elements 8 to 15.
  EXPECT_EQ(text_of(contiguous_runs({{0, 2}, {4, 2}}, {4, 5})), "(8 0 8)");
}

TEST(Region, of_parts_of_rows_is_a_run_for_each_row) {
  // Columns 1 and 2 of rows 2 and 3 of an array with rows of 4.
  EXPECT_EQ(text_of(contiguous_runs({{1, 2}, {2, 2}}, {4, 5})), "(9 0 2)(13 2 2)");
}

TEST(Region, counts_beyond_what_32_bits_hold) {
  // Plane 3 of planes of 100000 x 100000, first two rows, 10 elements each.
  const Index n = 100000;
  EXPECT_EQ(text_of(contiguous_runs({{5, 0, 3}, {10, 2, 1}}, {n, n, 4})),
            "(30000000005 0 10)(30000100005 10 10)");
}

TEST(Region, has_the_runs_that_its_elements_make) {
  std::mt19937 random(1);
  auto pick = [&](Index from, Index to) { return std::uniform_int_distribution<Index>(from, to)(random); };
  for (int trial = 0; trial < 4000; ++trial) {
    Region region;
    std::vector<Index> extents;
    for (Index d = pick(1, 4); d > 0; --d) {
      extents.push_back(pick(1, 5));
      // Every second dimension is whole, for runs of several dimensions.
      region.start.push_back(pick(0, 1) == 0 ? 0 : pick(0, extents.back()));
      region.count.push_back(pick(0, 1) == 0 ? extents.back() - region.start.back()
                                             : pick(0, extents.back() - region.start.back()));
    }

    const auto runs = contiguous_runs(region, extents);

    ASSERT_EQ(text_of(runs), text_of(runs_by_elements(region, extents))) << text(region);
  }
}

TEST(Region, prints_first_and_past_the_end) { EXPECT_EQ(text(Region{{0, 12}, {64, 8}}), "[0:64, 12:20]"); }

// ---- Boundaries ----

TEST(Boundaries, lie_at_multiples_of_the_period) {
  const Boundaries every_ten(10);

  EXPECT_EQ(every_ten.last_at_or_before(25, 1), 2);
  EXPECT_EQ(every_ten.first_at_or_after(25, 1), 3);
  EXPECT_EQ(every_ten.last_at_or_before(20, 1), 2);
  EXPECT_EQ(every_ten.first_at_or_after(20, 1), 2);
  EXPECT_EQ(every_ten.at(-3), -30);
}

TEST(Boundaries, take_in_times_that_are_a_millionth_of_a_step_away) {
  const Boundaries every_ten(10);
  const double inside = 0.9e-6, outside = 1.1e-6;

  EXPECT_EQ(every_ten.last_at_or_before(20 - inside, 1), 2);
  EXPECT_EQ(every_ten.last_at_or_before(20 - outside, 1), 1);
  EXPECT_EQ(every_ten.first_at_or_after(20 + inside, 1), 2);
  EXPECT_EQ(every_ten.first_at_or_after(20 + outside, 1), 3);
  EXPECT_EQ(every_ten.snapped(20 - inside, 1), 20);
  EXPECT_EQ(every_ten.snapped(20 + inside, 1), 20);
  EXPECT_EQ(every_ten.snapped(20 + outside, 1), 20 + outside);
  EXPECT_EQ(every_ten.snapped(20 - outside, 1), 20 - outside);
}

TEST(Boundaries, do_not_move_with_the_side_from_which_a_time_comes) {
  const Boundaries every_ten(10);

  EXPECT_EQ(every_ten.last_at_or_before(20 + 0.9e-6, 1), 2);
  EXPECT_EQ(every_ten.first_at_or_after(20 - 0.9e-6, 1), 2);
}

TEST(Boundaries, are_met_once_each_by_a_thousand_steps_of_a_tenth) {
  const Boundaries every_tenth(0.1);
  double time = 0;
  for (int step = 1; step <= 1000; ++step) {
    time += 0.1;  // 1000 roundings: 99.9999999999986 in the end

    ASSERT_EQ(every_tenth.last_at_or_before(time, 0.1), step);
    ASSERT_EQ(every_tenth.first_at_or_after(time, 0.1), step);
    ASSERT_EQ(every_tenth.snapped(time, 0.1), every_tenth.at(step));
  }
}

TEST(Boundaries, go_on_before_the_origin) {
  const Boundaries every_ten(10);

  EXPECT_EQ(every_ten.last_at_or_before(-25, 1), -3);
  EXPECT_EQ(every_ten.first_at_or_after(-25, 1), -2);
  EXPECT_EQ(every_ten.last_at_or_before(-1e-7, 1), 0);
  EXPECT_EQ(every_ten.first_at_or_after(1e-7, 1), 0);
  EXPECT_EQ(every_ten.snapped(-20.0000001, 1), -20);
}

TEST(Boundaries, hold_on_both_sides_of_huge_times) {
  // Times where a double resolves 0.002 s; periods whose multiples are exact and periods whose multiples are
  // not.
  for (double period : {1.0, 0.1, 1.0 / 3, 3600.0}) {
    const Boundaries boundaries(period);
    for (double time : {1e13, 1e13 + 0.5, -1e13, 123456789012.345}) {
      const std::int64_t last = boundaries.last_at_or_before(time, 1);
      const std::int64_t first = boundaries.first_at_or_after(time, 1);

      EXPECT_LE(boundaries.at(last), time + 1e-6);
      EXPECT_GT(boundaries.at(last + 1), time + 1e-6);
      EXPECT_GE(boundaries.at(first), time - 1e-6);
      EXPECT_LT(boundaries.at(first - 1), time - 1e-6);
    }
  }
}

TEST(Boundaries, are_exact_where_the_step_has_no_length) {
  const Boundaries every_ten(10);

  EXPECT_EQ(every_ten.last_at_or_before(std::nextafter(20.0, 0), 0), 1);
  EXPECT_EQ(every_ten.last_at_or_before(20, 0), 2);
}

// ---- Boundaries of months ----

Boundaries months(std::int64_t count, Calendar calendar, const Date& epoch) {
  return Boundaries(Frequency(count, calendar, epoch));
}

TEST(BoundariesOfMonths, lie_at_the_starts_of_months_of_each_calendar) {
  // cftime's seconds from 1899-12-15 12:00 to the first of 1899-09, 1899-12, 1900-03, 1900-06 and 1902-12.
  const std::vector<std::pair<Calendar, std::vector<double>>> expected = {
      {Calendar::standard, {-9115200, -1252800, 6523200, 14472000, 93355200}},
      {Calendar::proleptic_gregorian, {-9115200, -1252800, 6523200, 14472000, 93355200}},
      {Calendar::julian, {-9115200, -1252800, 6609600, 14558400, 93441600}},
      {Calendar::noleap, {-9115200, -1252800, 6523200, 14472000, 93355200}},
      {Calendar::all_leap, {-9115200, -1252800, 6609600, 14558400, 93614400}},
      {Calendar::day_360, {-9028800, -1252800, 6523200, 14299200, 92059200}},
  };
  for (const auto& [calendar, seconds] : expected) {
    const Boundaries quarters = months(3, calendar, {1899, 12, 15, 12, 0, 0});
    const std::vector<double> found = {quarters.at(-1), quarters.at(0), quarters.at(1), quarters.at(2),
                                       quarters.at(12)};

    EXPECT_EQ(found, seconds) << name(calendar);
  }
}

TEST(BoundariesOfMonths, are_found_from_both_sides_of_each_in_a_thousand_years) {
  for (int word = 0; word < 6; ++word) {
    const auto calendar = static_cast<Calendar>(word);
    for (std::int64_t count : {1, 5, 12}) {
      const Boundaries boundaries = months(count, calendar, {1312, 2, 27, 1, 2, 3});
      for (std::int64_t k = -300; k < 12000; k += k < 20 ? 1 : 17) {
        const double at = boundaries.at(k);
        ASSERT_EQ(boundaries.last_at_or_before(at, 0), k) << name(calendar);
        ASSERT_EQ(boundaries.first_at_or_after(at, 0), k) << name(calendar);
        ASSERT_EQ(boundaries.last_at_or_before(at - 1, 0), k - 1) << name(calendar);
        ASSERT_EQ(boundaries.first_at_or_after(at + 1, 0), k + 1) << name(calendar);
        ASSERT_LT(at, boundaries.at(k + 1));
      }
    }
  }
}

TEST(BoundariesOfMonths, skip_the_days_that_october_1582_lacks) {
  const Boundaries monthly = months(1, Calendar::standard, {1582, 9, 1});

  EXPECT_EQ(monthly.at(1), 30 * 86400);
  EXPECT_EQ(monthly.at(2), (30 + 21) * 86400);
}

TEST(BoundariesOfMonths, take_in_times_that_are_a_millionth_of_a_step_away) {
  const Boundaries monthly = months(1, Calendar::day_360, {2000, 1, 1});
  const double end = 30 * 86400, day = 86400;

  EXPECT_EQ(monthly.last_at_or_before(end - 0.08, day), 1);
  EXPECT_EQ(monthly.last_at_or_before(end - 0.09, day), 0);
  EXPECT_EQ(monthly.snapped(end + 0.08, day), end);
  EXPECT_EQ(monthly.snapped(end + 0.09, day), end + 0.09);
}

TEST(BoundariesOfMonths, end_for_times_beyond_all_calendars) {
  const Boundaries monthly = months(1, Calendar::standard, {2000, 1, 1});

  for (double time : {1e15, 1e300, -1e300}) {
    EXPECT_EQ(monthly.at(monthly.last_at_or_before(time, 1) + 1) > 0, time > 0) << time;
    EXPECT_EQ(monthly.at(monthly.first_at_or_after(time, 1) - 1) > 0, time > 0) << time;
  }
}

// ---- Suggestions ----

TEST(Suggestion, is_the_word_within_a_few_edits) {
  const std::vector<std::string> words = {"frequency", "name", "size"};

  EXPECT_EQ(nearest("freqency", words), "frequency");    // one letter missing
  EXPECT_EQ(nearest("frequenccy", words), "frequency");  // one too many
  EXPECT_EQ(nearest("frequemcy", words), "frequency");   // another letter
  EXPECT_EQ(nearest("fre_quecny", words), "frequency");  // neighbours swapped and one too many
  EXPECT_EQ(nearest("NAME", words), "name");             // letter case is no edit
  EXPECT_EQ(nearest("colour", words), "");
}

TEST(Suggestion, is_none_where_nothing_is_known_or_nothing_is_common) {
  const std::vector<std::string> letters = {"u", "v"};

  EXPECT_EQ(nearest("w", {}), "");
  EXPECT_EQ(nearest("w", letters), "");
  EXPECT_EQ(nearest("", letters), "");
  EXPECT_EQ(did_you_mean("w", letters), "");
}

TEST(Suggestion, of_equally_near_words_is_the_first_in_the_alphabet) {
  const std::vector<std::string> words = {"temp_c", "temp_b", "temp_d"};

  EXPECT_EQ(nearest("temp_x", words), "temp_b");
  EXPECT_EQ(did_you_mean("temp_x", words), "; did you mean \"temp_b\"?");
}

TEST(Suggestion, prefers_the_nearest_wherever_it_stands) {
  const std::vector<std::string> words = {"averages", "averaged", "average"};

  EXPECT_EQ(nearest("averagedd", words), "averaged");
}

// ---- Findings ----

TEST(Findings, come_in_the_order_of_file_line_and_column) {
  Findings findings;
  findings.error({"b.xml", 1, 1}, "sixth");
  findings.error({"a.xml", 10, 2}, "fifth");
  findings.warning({"a.xml", 9, 12}, "third");
  findings.note({"a.xml", 9, 2}, "second");
  findings.error({"a.xml", 10, 1}, "fourth");
  findings.error({"a.xml"}, "first");

  EXPECT_EQ(findings.text(),
            "a.xml: error: first\n"
            "a.xml:9:2: note: second\n"
            "a.xml:9:12: warning: third\n"
            "a.xml:10:1: error: fourth\n"
            "a.xml:10:2: error: fifth\n"
            "b.xml:1:1: error: sixth");
}

TEST(Findings, at_one_place_stay_in_the_order_in_which_they_were_found) {
  Findings findings;
  findings.error({"a.xml", 1, 1}, "z");
  findings.error({"a.xml", 1, 1}, "a");

  EXPECT_EQ(findings.text(), "a.xml:1:1: error: z\na.xml:1:1: error: a");
}

TEST(Findings, have_errors_only_if_one_is_an_error) {
  Findings findings;
  findings.warning({}, "w");
  findings.note({}, "n");
  EXPECT_FALSE(findings.has_errors());

  findings.error({}, "e");

  EXPECT_TRUE(findings.has_errors());
  EXPECT_EQ(findings.all().back().text(), "error: e");
}

// ---- Encoder and Decoder ----

TEST(Encoder, gives_back_what_was_put) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(std::int64_t{-5});
  out.put(std::uint8_t{200});
  out.put(0.1);
  out.put(ElementType::int32);
  out.put(std::string_view("h\0é", 4));
  out.put("");
  out.put(std::vector<double>{1.5, -0.0});
  out.put(std::vector<std::int64_t>{});

  Decoder in(bytes);

  EXPECT_EQ(in.get<std::int64_t>(), -5);
  EXPECT_EQ(in.get<std::uint8_t>(), 200);
  EXPECT_EQ(in.get<double>(), 0.1);
  EXPECT_EQ(in.get<ElementType>(), ElementType::int32);
  EXPECT_EQ(in.get_text(), std::string("h\0é", 4));
  EXPECT_EQ(in.get_text(), "");
  const auto doubles = in.get_vector<double>();
  ASSERT_EQ(doubles.size(), 2u);
  EXPECT_TRUE(std::signbit(doubles[1]));
  EXPECT_TRUE(in.get_vector<std::int64_t>().empty());
  EXPECT_TRUE(in.is_at_end());
}

TEST(Encoder, writes_little_endian_with_the_length_first) {
  Bytes bytes;
  Encoder(bytes).put("ab");

  const Bytes expected = {std::byte{2}, {}, {}, {}, {}, {}, {}, {}, std::byte{'a'}, std::byte{'b'}};
  EXPECT_EQ(bytes, expected);
}

TEST(Decoder, refuses_bytes_that_end_early) {
  const Bytes bytes(7);

  EXPECT_THROW(Decoder(bytes).get<double>(), TransportError);
  EXPECT_THROW(Decoder(bytes).get_text(), TransportError);
  EXPECT_THROW(Decoder(bytes).get_vector<float>(), TransportError);
  EXPECT_THROW(Decoder(bytes).get_raw(8), TransportError);
  EXPECT_THROW(Decoder({}).get<std::uint8_t>(), TransportError);
}

TEST(Decoder, refuses_lengths_that_cannot_be_true) {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t length :
       {largest, largest / 8 + 1, largest / 8, std::uint64_t{1} << 61, std::uint64_t{3}}) {
    Bytes bytes;
    Encoder out(bytes);
    out.put(length);
    out.put_raw(Bytes(16));  // two doubles, not three

    EXPECT_THROW(Decoder(bytes).get_vector<double>(), TransportError) << length;
    if (length != 3) {
      EXPECT_THROW(Decoder(bytes).get_text(), TransportError) << length;
    }
  }
}

TEST(Decoder, is_where_it_was_after_a_raw_read) {
  const Bytes bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  Decoder in(bytes);

  EXPECT_EQ(in.get_raw(0).size(), 0u);
  EXPECT_EQ(in.get_raw(2).back(), std::byte{2});
  EXPECT_EQ(in.rest().size(), 1u);
  EXPECT_FALSE(in.is_at_end());
}

// ---- RankDescription ----

RankDescription cumulus_rank() {
  RankDescription rank;
  rank.dimensions = {{"z", 3, {10, 30, 60}, "m"}, {"x", 128, {}, ""}};
  rank.fields = {{"w", ElementType::float32, {"z", "x"}, {{0, 64}, {3, 64}}},
                 {"dt", ElementType::float64, {}, {}},
                 {"vwp", ElementType::int64, {}, {{0}, {17}}}};
  rank.options = {{"x_size", "128"}, {"title", ""}};
  return rank;
}

Bytes encoded(const RankDescription& rank) {
  Bytes bytes;
  Encoder out(bytes);
  rank.encode(out);
  return bytes;
}

TEST(RankDescription, comes_back_as_it_was) {
  const RankDescription rank = cumulus_rank();
  const Bytes bytes = encoded(rank);

  Decoder in(bytes);
  const RankDescription back = RankDescription::decode(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(back.dimensions, rank.dimensions);
  EXPECT_EQ(back.fields, rank.fields);
  EXPECT_EQ(back.options, rank.options);
}

TEST(RankDescription, of_nothing_comes_back_as_nothing) {
  const Bytes bytes = encoded({});

  Decoder in(bytes);
  const RankDescription back = RankDescription::decode(in);

  EXPECT_TRUE(back.dimensions.empty() && back.fields.empty() && back.options.empty());
}

TEST(RankDescription, that_ends_early_anywhere_is_refused) {
  const Bytes bytes = encoded(cumulus_rank());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    Decoder in(part);

    EXPECT_THROW(RankDescription::decode(in), TransportError) << size;
  }
}

TEST(RankDescription, with_any_bytes_changed_is_refused_or_consistent) {
  const Bytes bytes = encoded(cumulus_rank());
  std::mt19937 random(2);
  for (int trial = 0; trial < 20000; ++trial) {
    Bytes changed = bytes;
    for (int i = 0; i < 1 + trial % 3; ++i)
      changed[random() % changed.size()] = static_cast<std::byte>(random());

    Decoder in(changed);
    try {
      const RankDescription back = RankDescription::decode(in);
      for (const ModelField& field : back.fields) {
        ASSERT_TRUE(is_known(field.type));
        ASSERT_EQ(field.region.start.size(), field.region.count.size());
      }
    } catch (const TransportError&) {
    }
  }
}

TEST(RankDescription, with_an_unknown_type_of_number_is_refused) {
  RankDescription rank;
  rank.fields = {{"w", static_cast<ElementType>(6), {}, {}}};
  const Bytes bytes = encoded(rank);

  Decoder in(bytes);

  EXPECT_THROW(RankDescription::decode(in), TransportError);
}

TEST(RankDescription, whose_region_has_more_starts_than_counts_is_refused) {
  RankDescription rank;
  rank.fields = {{"w", ElementType::float64, {}, {{0, 0}, {4}}}};
  const Bytes bytes = encoded(rank);

  Decoder in(bytes);

  EXPECT_THROW(RankDescription::decode(in), TransportError);
}

TEST(UsableCores, are_those_that_the_system_lets_the_process_use) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  const CoreSet before = usable_cores();

  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const CoreSet bound = usable_cores();
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);

  EXPECT_EQ(before.count, CPU_COUNT(&all));
  EXPECT_EQ(bound.count, 1);
  EXPECT_EQ(bound.identity == before.identity, before.count == 1);
  EXPECT_EQ(usable_cores().identity, before.identity);
}

}  // namespace
}  // namespace pileus
