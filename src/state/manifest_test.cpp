#include "state/manifest.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

Manifest some_manifest() {
  Manifest manifest;
  manifest.run = "0123456789abcdef";
  manifest.history = "2000-01-01T00:00:00Z written by Pileus";
  manifest.attempt = 3;
  manifest.step = {120, 98.2, 1.5};
  manifest.version = "0.1.0";
  manifest.configuration = "run.xml";
  manifest.configuration_hash = "abc";
  manifest.options = "x_size=4";
  manifest.model_ranks = 6;
  set_parts(manifest,
            {{{{"file", "a.nc"}, {"window", "b"}}, {17, 9, 0x12345678, {{{0}, {}}, {{1}, {{3}, {4}}}}}},
             {{{"window", "a"}, {"window", "b"}}, {0, 0, 0, {{{0, 1}, {{7}, {4}}}}}}});
  return manifest;
}

TEST(Manifest, comes_back_from_its_bytes) {
  EXPECT_EQ(decode_manifest(encode_manifest(some_manifest())), some_manifest());
}

TEST(Manifest, has_each_name_once_whichever_parts_have_it) {
  const Manifest manifest = some_manifest();

  EXPECT_EQ(manifest.names, (std::vector<StateName>{{"file", "a.nc"}, {"window", "a"}, {"window", "b"}}));
  ASSERT_EQ(manifest.parts.size(), 2U);
  EXPECT_EQ(manifest.parts[0].holdings[1].names, std::vector<std::uint32_t>{2});
  EXPECT_EQ(manifest.parts[1].holdings[0].names, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Manifest, is_refused_with_any_flipped_bit_and_when_cut_short_anywhere) {
  const Bytes bytes = encode_manifest(some_manifest());
  const std::span<const std::byte> all(bytes);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    EXPECT_THROW(decode_manifest(all.first(at)), TransportError) << at;
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = bytes;
      damaged[at] ^= std::byte{1} << bit;
      EXPECT_THROW(decode_manifest(damaged), TransportError) << at << "." << bit;
    }
  }
}

/// Every table of such checksums gives the CRC-32 (ISO 3309) of "123456789".
TEST(Checksum, is_that_of_crc_32) {
  const std::string text = "123456789";
  EXPECT_EQ(checksum(std::as_bytes(std::span(text))), 0xcbf43926U);
  EXPECT_EQ(checksum({}), 0U);
  const std::span<const std::byte> all = std::as_bytes(std::span(text));
  EXPECT_EQ(checksum(all.subspan(4), checksum(all.first(4))), checksum(all));
}

TEST(Parts, are_named_by_their_server) {
  EXPECT_EQ(part_name(3), "part-0003");
  EXPECT_EQ(part_name(12345), "part-12345");
}

}  // namespace
}  // namespace pileus
