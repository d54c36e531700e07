#include "core/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/element_type.h"
#include "core/error.h"

namespace pileus {
namespace {

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

}  // namespace
}  // namespace pileus
