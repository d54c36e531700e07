// Chunks of random and of smooth numbers through each codec and back.

#include "codecs/coding/coding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/error.h"

namespace pileus::codecs {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(T));
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> smooth(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = 280.0F + 20.0F * std::sin(static_cast<float>(i) * 0.01F);
  return bytes_of(numbers);
}

std::vector<std::byte> noise(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> numbers(count);
  for (auto& number : numbers) number = random();
  return bytes_of(numbers);
}

std::vector<Compression> all_compressions() {
  std::vector<Compression> all;
  for (const Codec* codec : all_codecs()) {
    for (const int level : {1, 4, 9}) {
      all.push_back({codec, level, Shuffle::none});
      all.push_back({codec, level, Shuffle::bytes});
      if (codec->sorts_bits) all.push_back({codec, level, Shuffle::bits});
    }
  }
  return all;
}

/// What readers have in the end: of all but blosc the bytes come sorted.
std::vector<std::byte> there_and_back(const std::vector<std::byte>& bytes, const Compression& compression) {
  const auto packed = encoded(bytes, 4, compression);
  return packed ? decoded(*packed, *compression.codec, bytes.size()) : bytes;
}

TEST(Codecs, give_back_what_they_got) {
  ASSERT_EQ(all_codecs().size(), 3U);
  for (const Compression& compression : all_compressions()) {
    SCOPED_TRACE(std::string(compression.codec->name) + " " + std::to_string(compression.level));
    for (const std::size_t count : {1U, 7U, 1000U, 300000U}) {
      const std::vector<std::byte> numbers = smooth(count);
      EXPECT_EQ(there_and_back(numbers, compression), numbers) << count;
      const std::vector<std::byte> any = noise(count, 3);
      EXPECT_EQ(there_and_back(any, compression), any) << count;
    }
    EXPECT_LT(encoded(smooth(100000), 4, compression)->size(), 400000U * 9 / 10);
  }
}

TEST(Codecs, make_the_same_bytes_of_the_same) {
  const std::vector<std::byte> numbers = smooth(50000);
  for (const Compression& compression : all_compressions())
    EXPECT_EQ(encoded(numbers, 4, compression), encoded(numbers, 4, compression));
}

TEST(Codecs, sort_bits_where_they_say_so) {
  const std::vector<std::byte> numbers = smooth(100000);
  const auto by = [&](Shuffle shuffle) { return encoded(numbers, 4, {&blosc(), 5, shuffle})->size(); };

  EXPECT_NE(by(Shuffle::bits), by(Shuffle::bytes));
  EXPECT_LT(by(Shuffle::bytes), by(Shuffle::none));
}

TEST(Codecs, refuse_what_is_damaged) {
  std::mt19937 random(5);
  const std::vector<std::byte> numbers = smooth(3000);
  for (const Codec* codec : all_codecs()) {
    const std::vector<std::byte> whole = *encoded(numbers, 4, {codec, 3, Shuffle::bytes});
    EXPECT_THROW(decoded({}, *codec, numbers.size()), UsageError) << codec->name;
    EXPECT_THROW(decoded(whole, *codec, numbers.size() - 1), UsageError) << codec->name;
    EXPECT_THROW(decoded(std::span(whole).first(whole.size() / 2), *codec, numbers.size()), UsageError);
    for (int n = 0; n < 200; ++n) {
      std::vector<std::byte> damaged = whole;
      damaged[random() % damaged.size()] ^= std::byte{static_cast<unsigned char>(1U << random() % 8)};
      try {
        EXPECT_LE(decoded(damaged, *codec, numbers.size()).size(), numbers.size());
      } catch (const UsageError&) {  // no sum tells every bit
      }
    }
  }
}

TEST(Codecs, sort_bytes_by_their_place_in_the_element) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 11; ++i) bytes.push_back(static_cast<std::byte>(i));

  const std::vector<std::byte> sorted = shuffled(bytes, 4);

  // Two elements of four bytes, and three bytes that are no whole one.
  const int expected[] = {0, 4, 1, 5, 2, 6, 3, 7, 8, 9, 10};
  for (int i = 0; i < 11; ++i)
    EXPECT_EQ(std::to_integer<int>(sorted[static_cast<std::size_t>(i)]), expected[i]);
  EXPECT_EQ(shuffled(bytes, 1), bytes);
}

TEST(Codecs, are_found_by_their_names) {
  EXPECT_EQ(find_codec("zstd"), &zstd());
  EXPECT_EQ(find_codec("gzip"), nullptr);
}

}  // namespace
}  // namespace pileus::codecs
