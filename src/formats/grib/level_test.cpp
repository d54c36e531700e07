// Levels of random and of smooth numbers, packed in every way, as ecCodes reads them.

#include "formats/grib/level.h"

#include <eccodes.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "formats/grib/header.h"

namespace pileus::grib {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A whole message of points.
std::vector<std::byte> whole_message(const PackedChunk& packed, std::size_t points) {
  const GridKeys grid = {{{"gridDefinitionTemplateNumber", 101},
                          {"numberOfDataPoints", static_cast<long>(points)},
                          {"numberOfGridUsed", 0},
                          {"numberOfGridInReference", 0}}};
  MessageTerms terms;
  terms.surfaces = {{1}};
  Headers headers(grid, terms, {}, {});
  std::vector<std::byte> message = begin_of_message(headers.sections(0, {}), packed.bytes.size(), 0);
  message.insert(message.end(), packed.bytes.begin(), packed.bytes.end());
  message.insert(message.end(), 4, std::byte{'7'});
  return message;
}

/// NaN where there is none.
std::vector<double> read_back(const PackedChunk& packed, std::size_t points) {
  const std::vector<std::byte> message = whole_message(packed, points);
  codes_handle* const handle = codes_handle_new_from_message(nullptr, message.data(), message.size());
  EXPECT_NE(handle, nullptr);
  constexpr double kMark = -1e300;
  EXPECT_EQ(codes_set_double(handle, "missingValue", kMark), CODES_SUCCESS);
  std::vector<double> values(points);
  std::size_t count = points;
  EXPECT_EQ(codes_get_double_array(handle, "values", values.data(), &count), CODES_SUCCESS);
  EXPECT_EQ(count, points);
  codes_handle_delete(handle);
  for (double& value : values)
    if (value == kMark) value = kNone;
  return values;
}

struct Case {
  std::string name;
  std::vector<double> values;
};

std::vector<Case> cases(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Case> all = {{"smooth", {}},  {"noise", {}},  {"one number", {}}, {"holes", {}},
                           {"nothing", {}}, {"huge", {}},   {"tiny", {}},       {"infinite", {}},
                           {"whole", {}},   {"narrow", {}}, {"below 0", {}}};
  for (std::size_t i = 0; i < count; ++i) {
    const double smooth = 280 + 20 * std::sin(static_cast<double>(i) * 0.01), noise = normal(random);
    const double of_each[] = {smooth,
                              1e4 * noise,
                              273.15,
                              random() % 3 == 0 ? kNone : smooth,
                              kNone,
                              1e37 * std::tanh(noise),
                              1e-30 * noise,
                              random() % 5 == 0 ? std::copysign(INFINITY, noise) : smooth,
                              std::floor(100 * noise),
                              101325.25 + 1e-7 * noise,
                              -5 - std::abs(noise)};
    for (std::size_t c = 0; c < all.size(); ++c) all[c].values.push_back(of_each[c]);
  }
  return all;
}

void expect_right(const Case& one, const Compression& compression) {
  SCOPED_TRACE(one.name + " by " + compression.codec->name + ", bits " + std::to_string(compression.bits) +
               ", places " + std::to_string(compression.decimals.value_or(99)) + ", points " +
               std::to_string(one.values.size()));
  const PackedChunk packed = pack_level(one.values, compression);
  const std::vector<double> read = read_back(packed, one.values.size());
  const Loss loss = packed.loss.value();
  double largest = 0, squares = 0;
  std::int64_t missing = 0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    ASSERT_EQ(std::isnan(read[i]), !std::isfinite(one.values[i])) << i;
    if (std::isnan(read[i])) {
      ++missing;
      continue;
    }
    const double error = std::abs(read[i] - one.values[i]);
    largest = std::max(largest, error);
    squares += error * error;
  }
  EXPECT_EQ(loss.largest, largest);
  EXPECT_LE(loss.largest, loss.bound);
  EXPECT_EQ(loss.missing, missing);
  const auto there = std::ssize(read) - missing;
  if (there == 0) return;
  EXPECT_NEAR(loss.rms, std::sqrt(squares / static_cast<double>(there)), 1e-12 * loss.largest);
}

TEST(Levels, are_read_by_eccodes_with_the_errors_that_are_said) {
  for (const std::size_t count : {1U, 2U, 7U, 9U, 640U, 5000U}) {
    for (const Case& one : cases(count, static_cast<unsigned>(count))) {
      for (const Codec* packing : all_packings()) {
        for (const int bits : {1, 3, 8, 12, 16, 17, 24, 25, 32})
          expect_right(one, {packing, 0, Shuffle::none, bits, {}, 1});
        if (one.name == "huge" || one.name == "infinite") continue;
        for (const int places : {-3, -1, 0, 2, 5})
          expect_right(one, {packing, 0, Shuffle::none, 0, places, 1});
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Levels, keep_so_many_decimal_places_as_they_have_bits_for) {
  const Case smooth = cases(5000, 3)[0];
  for (const Codec* packing : all_packings()) {
    for (const int places : {-2, 0, 1, 3, 6}) {
      const Loss loss = *pack_level(smooth.values, {packing, 0, Shuffle::none, 0, places, 1}).loss;
      EXPECT_LE(loss.largest, 0.5 * std::pow(10, -places) * (1 + 1e-9)) << places;
    }
    // 20 * 10^12 needs more than 32 bits: what is left is said.
    const Loss loss = *pack_level(smooth.values, {packing, 0, Shuffle::none, 0, 12, 1}).loss;
    EXPECT_GT(loss.bound, 0.5e-12);
    EXPECT_LT(loss.bound, 1e-8);
  }
}

TEST(Levels, are_as_long_as_their_bits_say) {
  const Case noise = cases(4000, 5)[1];
  for (const int bits : {1, 7, 16, 31}) {
    const auto packed = pack_level(noise.values, {&codecs::simple(), 0, Shuffle::none, bits, {}, 1});
    EXPECT_EQ(packed.bytes.size(), 21U + 6 + 5 + static_cast<std::size_t>(4000 * bits + 7) / 8);
  }
  const Case smooth = cases(4000, 5)[0];
  const auto size = [&](const Codec& packing) {
    return pack_level(smooth.values, {&packing, 0, Shuffle::none, 16, {}, 1}).bytes.size();
  };
  EXPECT_LT(size(codecs::ccsds()), size(codecs::simple()) * 3 / 4);
}

TEST(Levels, have_the_same_bytes_whoever_packs_them) {
  const std::vector<Case> all = cases(3000, 9);
  const Compression compression = {&codecs::ccsds(), 0, Shuffle::none, 14, {}, 1};
  std::vector<PackedChunk> expected;
  for (const Case& one : all) expected.push_back(pack_level(one.values, compression));
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (std::size_t c = 0; c < all.size(); ++c) {
        const PackedChunk packed = pack_level(all[c].values, compression);
        if (packed.bytes != expected[c].bytes || packed.loss != expected[c].loss) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Levels, have_numbers_of_every_type) {
  const auto numbers = [](auto value, ElementType type) {
    std::vector<std::byte> bytes(2 * sizeof value);
    const auto missing =
        std::visit([](auto one) { return static_cast<decltype(value)>(one); }, missing_value(type));
    std::memcpy(bytes.data(), &value, sizeof value);
    std::memcpy(bytes.data() + sizeof value, &missing, sizeof value);
    const std::vector<double> out = numbers_of(bytes, type);
    return out.size() == 2 && std::isnan(out[1]) ? out[0] : kNone;
  };
  EXPECT_EQ(numbers(2.5, ElementType::float64), 2.5);
  EXPECT_EQ(numbers(2.5F, ElementType::float32), 2.5);
  EXPECT_EQ(numbers(std::int32_t{-7}, ElementType::int32), -7);
  EXPECT_EQ(numbers(std::int64_t{1} << 40, ElementType::int64), 0x1p40);
  EXPECT_EQ(numbers(std::int8_t{1}, ElementType::boolean), 1);
}

}  // namespace
}  // namespace pileus::grib
