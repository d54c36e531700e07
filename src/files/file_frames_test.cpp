#include "files/file_frames.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pileus {
namespace {

/// Behind the kind, which the receiver has read.
Decoder behind_kind(const Bytes& bytes, ServerFrame kind) {
  Decoder in(bytes);
  EXPECT_EQ(in.get<ServerFrame>(), kind);
  return in;
}

template <class Decode>
void expect_that_every_truncation_throws(const Bytes& bytes, Decode decode) {
  for (std::size_t length = sizeof(ServerFrame); length < bytes.size(); ++length) {
    Decoder in{std::span<const std::byte>(bytes).first(length).subspan(sizeof(ServerFrame))};
    EXPECT_THROW(decode(in), TransportError) << length << " of " << bytes.size() << " bytes";
  }
}

Placement two_records() {
  const RecordPlacement first{{{4096, {{0, 0}, {2, 3}}}, {8192, {{2, 0}, {1, 3}}}}};
  const RecordPlacement second{{{std::uint64_t{1} << 40, {{0, 0}, {3, 3}}}}};
  const RecordPlacement scalar{{{16, {{}, {}}}}};
  return {{FileId(3), -2}, 1, {5, 2, {{0, {first, second}}, {7, {scalar, {}}}}, {}, {}}};
}

Part part_with_value() {
  Part part;
  part.client = 4;
  part.chunk = 5;
  part.record = {VariableId(2),
                 {3, 1, 20, 10, 20},
                 {{2, 0}, {1, 3}},
                 make_array({1.5, -0.0, 3}, {1, 3}),
                 std::make_shared<int>()};
  return part;
}

Part decoded(const Bytes& bytes) {
  const auto message = std::make_shared<const Bytes>(bytes);
  Decoder in = behind_kind(*message, ServerFrame::part);
  return decode_part(in, message);
}

TEST(FileFrames, a_placement_arrives_as_it_was_sent) {
  const Placement sent = two_records();
  const Bytes bytes = encode(sent);
  Decoder in = behind_kind(bytes, ServerFrame::placement);

  const Placement got = decode_placement(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(got.file, sent.file);
  EXPECT_EQ(got.axis, 1U);
  EXPECT_EQ(got.growth.first_record, 5);
  EXPECT_EQ(got.growth.records, 2);
  ASSERT_EQ(got.growth.variables.size(), 2U);
  for (std::size_t v = 0; v < 2; ++v) {
    const auto& [variable, records] = got.growth.variables[v];
    EXPECT_EQ(variable, sent.growth.variables[v].first);
    ASSERT_EQ(records.size(), 2U);
    for (std::size_t r = 0; r < 2; ++r) {
      const auto& blocks = sent.growth.variables[v].second[r].blocks;
      ASSERT_EQ(records[r].blocks.size(), blocks.size());
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        EXPECT_EQ(records[r].blocks[b].offset, blocks[b].offset);
        EXPECT_EQ(records[r].blocks[b].region, blocks[b].region);
      }
    }
  }
}

TEST(FileFrames, a_closing_arrives_as_it_was_sent) {
  for (const Closing& sent :
       {Closing{{FileId(0), 9}, false, false, {3, 0}}, Closing{{FileId(1), INT64_MIN}, false, true, {}},
        Closing{{FileId(2), -1}, true, false, {0}}}) {
    const Bytes bytes = encode(sent);
    Decoder in = behind_kind(bytes, ServerFrame::closing);

    const Closing got = decode_closing(in);

    EXPECT_TRUE(in.is_at_end());
    EXPECT_EQ(got.file, sent.file);
    EXPECT_EQ(got.is_failed, sent.is_failed);
    EXPECT_EQ(got.is_last, sent.is_last);
    EXPECT_EQ(got.records, sent.records);
  }
}

TEST(FileFrames, progress_arrives_as_it_was_sent) {
  const Bytes bytes = encode(Progress{{FileId(3), -2}, 1, 7, 5});
  Decoder in(bytes);
  ASSERT_EQ(in.get<ServerFrame>(), ServerFrame::progress);
  const Progress progress = decode_progress(in);

  EXPECT_EQ(progress.file, (FilePeriod{FileId(3), -2}));
  EXPECT_EQ(progress.axis, 1U);
  EXPECT_EQ(progress.certain, 7);
  EXPECT_EQ(progress.written, 5);
}

TEST(FileFrames, parts_done_arrive_as_they_were_sent) {
  const Bytes bytes = encode(PartsDone{{FileId(1), 2}, "disk full", {{3, 2, {{0}, {4}}, 7}, {}}});
  Decoder in = behind_kind(bytes, ServerFrame::parts_done);

  const PartsDone got = decode_parts_done(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(got.file, (FilePeriod{FileId(1), 2}));
  EXPECT_EQ(got.error, "disk full");
  EXPECT_EQ(got.missing, (std::vector<MissingPart>{{3, 2, {{0}, {4}}, 7}, {}}));
}

TEST(FileFrames, cuts_arrive_as_they_were_sent) {
  const Bytes bytes = encode(Cut{{FileId(1), -2}, 120, {3, 0}});
  Decoder in = behind_kind(bytes, ServerFrame::cut);

  const Cut got = decode_cut(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(got.file, (FilePeriod{FileId(1), -2}));
  EXPECT_EQ(got.step, 120);
  EXPECT_EQ(got.records, (std::vector<Index>{3, 0}));
}

TEST(FileFrames, answers_to_cuts_arrive_as_they_were_sent) {
  const Bytes bytes = encode(CutSynced{{FileId(1), 2}, 120, {{3, 2, {{0}, {4}}, 7}}});
  Decoder in = behind_kind(bytes, ServerFrame::cut_synced);

  const CutSynced got = decode_cut_synced(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(got.file, (FilePeriod{FileId(1), 2}));
  EXPECT_EQ(got.step, 120);
  EXPECT_EQ(got.missing, (std::vector<MissingPart>{{3, 2, {{0}, {4}}, 7}}));
}

TEST(FileFrames, what_is_said_of_compared_records_arrives) {
  Progress decided{{FileId(3), -2}, 1, 0, 0};
  decided.decided = {{4, 17, true}, {5, 18, false, 2.5}};
  const Bytes bytes = encode(decided);
  Decoder in = behind_kind(bytes, ServerFrame::progress);
  const Progress progress = decode_progress(in);
  EXPECT_TRUE(in.is_at_end());
  ASSERT_EQ(progress.decided.size(), 2U);
  EXPECT_EQ(progress.decided[0].record, 17);
  EXPECT_TRUE(progress.decided[0].is_written);
  EXPECT_EQ(progress.decided[1].variable, 5U);
  EXPECT_FALSE(progress.decided[1].is_written);
  EXPECT_EQ(progress.decided[1].time_s, 2.5);
  expect_that_every_truncation_throws(bytes, decode_progress);

  PackedPart part{{FileId(1), -2}, 3, 4, 5, {}};
  part.difference = Difference();
  part.difference->squares.add(2.5);
  part.difference->count = 7;
  part.is_late = true;
  const Bytes of_part = encode(part);
  Decoder in_part = behind_kind(of_part, ServerFrame::packed_part);
  const PackedPart got = decode_packed_part(in_part);
  EXPECT_TRUE(in_part.is_at_end());
  EXPECT_TRUE(got.is_late && got.packed.is_repeated());
  ASSERT_TRUE(got.difference);
  EXPECT_EQ(got.difference->squares.round(), 2.5);
  EXPECT_EQ(got.difference->count, 7);
  expect_that_every_truncation_throws(of_part, decode_packed_part);

  const CutSynced cut{{FileId(1), 2}, 120, {}, {{3, 2, Bytes(5, std::byte{1}), Bytes(4, std::byte{2})}}};
  const Bytes of_cut = encode(cut);
  Decoder in_cut = behind_kind(of_cut, ServerFrame::cut_synced);
  const CutSynced synced = decode_cut_synced(in_cut);
  EXPECT_TRUE(in_cut.is_at_end());
  ASSERT_EQ(synced.compared.size(), 1U);
  EXPECT_EQ(synced.compared[0].variable, 3U);
  EXPECT_EQ(synced.compared[0].written, cut.compared[0].written);
  EXPECT_EQ(synced.compared[0].last, cut.compared[0].last);
  expect_that_every_truncation_throws(of_cut, decode_cut_synced);
}

TEST(FileFrames, a_part_arrives_as_it_was_sent_and_its_numbers_may_be_read_in_place) {
  const Part sent = part_with_value();

  const Part got = decoded(encode(sent));

  EXPECT_EQ(got.client, 4U);
  EXPECT_EQ(got.chunk, 5U);
  EXPECT_EQ(got.record.variable, sent.record.variable);
  EXPECT_EQ(got.record.mark, sent.record.mark);
  EXPECT_EQ(got.record.region, sent.record.region);
  ASSERT_TRUE(got.record.value);
  EXPECT_EQ(got.record.value->extents, (std::vector<Index>{1, 3}));
  EXPECT_EQ(std::memcmp(got.record.value->bytes.get(), sent.record.value->bytes.get(), 24), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(got.record.value->bytes.get()) % 8, 0U);
}

TEST(FileFrames, a_compressed_chunk_arrives_as_it_was_sent) {
  const Bytes bytes = encode(
      PackedPart{{FileId(1), -2}, 3, 4, 5, {{std::byte{6}, std::byte{7}}, 2, Loss{0.5, 0.25, 0.75, 8}}});
  Decoder in = behind_kind(bytes, ServerFrame::packed_part);

  const PackedPart got = decode_packed_part(in);

  EXPECT_TRUE(in.is_at_end());
  EXPECT_EQ(got.file, (FilePeriod{FileId(1), -2}));
  EXPECT_EQ(got.record, 3);
  EXPECT_EQ(got.variable, 4U);
  EXPECT_EQ(got.chunk, 5U);
  EXPECT_EQ(got.packed.skipped_filters, 2U);
  EXPECT_EQ(got.packed.loss, (Loss{0.5, 0.25, 0.75, 8}));
  EXPECT_EQ(got.packed.bytes, (std::vector<std::byte>{std::byte{6}, std::byte{7}}));
}

TEST(FileFrames, a_part_keeps_its_message_and_lets_it_go) {
  auto message = std::make_shared<const Bytes>(encode(part_with_value()));
  const std::weak_ptr<const Bytes> watch = message;
  Decoder in = behind_kind(*message, ServerFrame::part);
  Part part = decode_part(in, message);

  message.reset();
  EXPECT_FALSE(watch.expired());
  part = {};

  EXPECT_TRUE(watch.expired());
}

TEST(FileFrames, parts_without_a_value_of_scalars_and_of_nothing_arrive) {
  Part part = part_with_value();
  part.record.value.reset();
  EXPECT_FALSE(decoded(encode(part)).record.value);

  part.record.region = {{}, {}};
  part.record.value = make_array({7}, {});
  EXPECT_EQ(decoded(encode(part)).record.value->as<double>()[0], 7);

  part.record.region = {{2, 0}, {0, 3}};
  part.record.value = make_array({}, {0, 3});
  EXPECT_EQ(decoded(encode(part)).record.value->size(), 0);
}

TEST(FileFrames, every_truncation_throws) {
  Part without_value = part_with_value();
  without_value.record.value.reset();

  expect_that_every_truncation_throws(encode(two_records()), decode_placement);
  expect_that_every_truncation_throws(encode(Closing{{FileId(0), 9}, false, true, {3, 0}}), decode_closing);
  expect_that_every_truncation_throws(encode(Progress{{FileId(1), 2}, 1, 3, 2}), decode_progress);
  expect_that_every_truncation_throws(encode(PartsDone{{FileId(1), 2}, "x", {{3, 2, {{0}, {4}}, 7}}}),
                                      decode_parts_done);
  expect_that_every_truncation_throws(encode(Cut{{FileId(1), 2}, 3, {4, 5}}), decode_cut);
  expect_that_every_truncation_throws(encode(CutSynced{{FileId(1), 2}, 3, {{3, 2, {{0}, {4}}, 7}}}),
                                      decode_cut_synced);
  for (const Part& part : {part_with_value(), without_value}) {
    expect_that_every_truncation_throws(encode(part), [](Decoder& in) { decode_part(in, nullptr); });
  }
}

TEST(FileFrames, lengths_that_cannot_be_true_throw_before_memory_is_taken) {
  Bytes bytes = encode(PartsDone{{FileId(1), 2}, "", {}});
  const std::uint64_t many = UINT64_MAX / 16;
  std::memcpy(bytes.data() + bytes.size() - 8, &many, 8);
  Decoder in = behind_kind(bytes, ServerFrame::parts_done);

  EXPECT_THROW(decode_parts_done(in), TransportError);
}

TEST(FileFrames, a_part_of_an_unknown_type_or_another_shape_throws) {
  // Before the value: kind, client, variable (12), period, record, three times (40), the region (2 × 24).
  constexpr std::size_t kType = 12 + 40 + 48 + 1;
  Bytes unknown = encode(part_with_value());
  ASSERT_EQ(unknown[kType], std::byte{0});
  unknown[kType] = std::byte{9};
  Bytes reshaped = encode(part_with_value());
  reshaped[kType + 1 + 8] = std::byte{3};  // the first extent

  EXPECT_THROW(decoded(unknown), TransportError);
  EXPECT_THROW(decoded(reshaped), TransportError);
}

TEST(FileFrames, a_region_with_more_starts_than_counts_throws) {
  Part part = part_with_value();
  part.record.value.reset();
  part.record.region.start = {0, 0, 0};

  EXPECT_THROW(decoded(encode(part)), TransportError);
}

}  // namespace
}  // namespace pileus
