#include "state/checkpoint_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "state/checksum.h"

namespace pileus {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

std::vector<StateEntry> some_entries() {
  return {{"window", "a.nc\nw", {{0, 4}, {3, 5}}, bytes_of("one")},
          {"window", "a.nc\nw", {{3, 4}, {2, 5}}, bytes_of("another")},
          {"window", "a.nc\nu", {{3, 4}, {2, 5}}, bytes_of("third")},
          {"window", "a.nc\nu", {{0, 4}, {3, 5}}, {}},
          {"window", "a.nc\nw", {{9, 4}, {0, 5}}, {}},
          {"file", "a.nc\n7", {}, {}}};
}

std::vector<StateEntry> decoded(const EncodedPart& part) {
  return decode_part(part.bytes, part.summary.directory_bytes);
}

TEST(CheckpointPart, comes_back_from_its_bytes) {
  EXPECT_EQ(decoded(encode_part(some_entries())), some_entries());
  EXPECT_TRUE(decoded(encode_part({})).empty());
}

TEST(CheckpointPart, says_where_each_entry_lies) {
  const EncodedPart part = encode_part(some_entries());
  const std::span<const std::byte> all(part.bytes);
  const auto directory = all.first(part.summary.directory_bytes);

  EXPECT_EQ(part.summary.size_bytes, all.size());
  EXPECT_EQ(part.summary.directory_checksum, checksum(directory));
  const std::vector<EntryPlace> places = decode_directory(directory, all.size());
  ASSERT_EQ(places.size(), some_entries().size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const StateEntry right = some_entries()[i];
    EXPECT_EQ(places[i].kind, right.kind);
    EXPECT_EQ(places[i].key, right.key);
    EXPECT_EQ(places[i].region, right.region);
    EXPECT_TRUE(std::ranges::equal(all.subspan(places[i].first, places[i].size), right.bytes));
    EXPECT_EQ(places[i].checksum, checksum(right.bytes));
  }
}

TEST(CheckpointPart, has_what_entries_have_elsewhere) {
  std::vector<StateEntry> entries = some_entries();
  const EncodedPart right = encode_part(entries);
  for (StateEntry& entry : entries) {
    const auto half = static_cast<std::ptrdiff_t>(entry.bytes.size() / 2);
    entry.more = std::make_shared<const BytesInMemory>(Bytes(entry.bytes.begin() + half, entry.bytes.end()));
    entry.bytes.resize(static_cast<std::size_t>(half));
  }

  const EncodedPart part = encode_part(entries);

  EXPECT_EQ(part.bytes, right.bytes);
  EXPECT_EQ(part.summary, right.summary);
}

TEST(CheckpointPart, is_put_in_pieces) {
  const Bytes large(3 * kPieceBytes + 5, std::byte{7});
  std::vector<StateEntry> entries = some_entries();
  entries.push_back(
      {"static variable", "a.nc\nb", {}, bytes_of("head"), std::make_shared<const BytesInMemory>(large)});
  const PartOutline outline = outline_of(entries);
  Bytes all;
  int pieces = 0;

  put_part(outline, entries, [&](std::span<const std::byte> piece) {
    EXPECT_LE(piece.size(), kPieceBytes);
    ++pieces;
    all.insert(all.end(), piece.begin(), piece.end());
  });

  EXPECT_EQ(all, encode_part(entries).bytes);
  EXPECT_LE(pieces, 7);
}

TEST(CheckpointPart, is_summed_up_by_what_lies_alike) {
  const EncodedPart part = encode_part(some_entries());

  EXPECT_EQ(part.names,
            (std::vector<StateName>{{"file", "a.nc\n7"}, {"window", "a.nc\nu"}, {"window", "a.nc\nw"}}));
  const std::vector<Holding> right = {{{0}, {}}, {{1, 2}, {{0, 4}, {5, 5}}}};
  EXPECT_EQ(part.summary.holdings, right);
}

/// Regions at random: each lies in the hull of its thing.
TEST(CheckpointPart, is_summed_up_with_nothing_left_out) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<StateEntry> entries;
    for (unsigned i = random() % 12; i > 0; --i) {
      Region region;
      for (unsigned rank = random() % 3; rank > 0; --rank)
        region.add({static_cast<Index>(random() % 20), static_cast<Index>(random() % 5)});
      entries.push_back({"window", std::to_string(random() % 3), region, Bytes(random() % 4)});
    }
    const EncodedPart part = encode_part(entries);
    for (const StateEntry& entry : entries) {
      const bool is_in_one = std::ranges::any_of(part.summary.holdings, [&](const Holding& holding) {
        const bool has_name = std::ranges::any_of(holding.names, [&](std::uint32_t name) {
          return part.names[name] == StateName(entry.kind, entry.key);
        });
        if (!has_name || holding.hull.rank() != entry.region.rank()) return false;
        return entry.region.size() == 0 || common(holding.hull, entry.region) == entry.region;
      });
      EXPECT_TRUE(is_in_one) << trial << " " << text(entry.region);
    }
    Bytes bytes;
    Encoder out(bytes);
    encode(part.summary, out);
    Decoder in(bytes);
    EXPECT_EQ(decode_summary(in, part.names.size()), part.summary);
    EXPECT_TRUE(in.is_at_end());
  }
}

TEST(CheckpointPart, is_refused_when_cut_short_anywhere) {
  const EncodedPart part = encode_part(some_entries());
  const std::span<const std::byte> all(part.bytes);
  for (std::size_t size = 0; size < all.size(); ++size)
    EXPECT_THROW(decode_part(all.first(size), part.summary.directory_bytes), TransportError) << size;
  for (std::size_t size = 0; size < part.summary.directory_bytes; ++size)
    EXPECT_THROW(decode_directory(all.first(size), all.size()), TransportError) << size;
}

TEST(CheckpointPart, is_refused_with_more_behind_it) {
  EncodedPart part = encode_part(some_entries());
  part.bytes.push_back(std::byte{0});
  EXPECT_THROW(decoded(part), TransportError);
}

TEST(CheckpointPart, is_refused_with_any_changed_byte_of_an_entry) {
  const EncodedPart part = encode_part(some_entries());
  for (std::size_t at = part.summary.directory_bytes; at < part.bytes.size(); ++at) {
    EncodedPart damaged = part;
    damaged.bytes[at] ^= std::byte{1};
    EXPECT_THROW(decoded(damaged), TransportError) << at;
  }
}

TEST(CheckpointPart, with_any_bytes_changed_in_its_directory_is_refused_or_possible) {
  std::mt19937 random(7);
  const EncodedPart part = encode_part(some_entries());
  for (int trial = 0; trial < 20'000; ++trial) {
    EncodedPart damaged = part;
    for (int i = 0; i < 1 + trial % 3; ++i)
      damaged.bytes[random() % part.summary.directory_bytes] = static_cast<std::byte>(random());
    try {
      for (const StateEntry& entry : decoded(damaged)) EXPECT_LE(entry.bytes.size(), part.bytes.size());
    } catch (const TransportError&) {
    }
  }
}

TEST(CheckpointPart, is_refused_with_a_region_that_cannot_be) {
  const Index huge = Index{1} << 62;
  for (const Region& region : {Region{{huge}, {huge}}, Region{{0, 0}, {huge / 4, 8}}, Region{{-1}, {2}}}) {
    const std::vector<StateEntry> entries = {{"window", "a.nc\nw", region, {}}};

    EXPECT_THROW(decoded(encode_part(entries)), TransportError) << text(region);
  }
}

TEST(CheckpointPart, of_another_version_is_refused_by_its_number) {
  EncodedPart other = encode_part(some_entries());
  other.bytes[4] = std::byte{9};
  try {
    decoded(other);
    FAIL();
  } catch (const TransportError& error) {
    EXPECT_NE(std::string(error.what()).find("version 9"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pileus
