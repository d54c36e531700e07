// How far numbers are rounded and what compresses them, where several places say it.

#include "layout/storage/storage.h"

#include <cmath>
#include <limits>
#include <random>

#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

/// A distributed field "w" in m s-1, which is written to "f.nc".
struct Case {
  ConfigBuilder config;
  ModelBuilder model{2};

  Case() {
    config.group("raw").field("w", "z,y,x", true).metadata.units = config.text("m s-1");
    config.file("f.nc").include("w");
    model.dimension("z", 30).dimension("y", 40).dimension("x", 60).distributed("w", {"z", "y", "x"});
  }
  StorageConfig& of_file() { return config.config.files[0].storage; }
  StorageConfig& of_include() { return config.config.files[0].includes[0].storage; }
  StorageConfig& of_field() { return config.config.data_groups[0].fields[0].storage; }
  ErrorConfig error(bool is_relative, double most, const std::string& units = "") {
    return {is_relative, most, units, config.place()};
  }
  Planned plan() const { return plan_of(config, model); }
  Storage storage() const { return plan().plan.variables.at(0).storage; }
};

CodecConfig by(const Codec& codec, int level) { return {&codec, level, {}}; }

TEST(Rounding, to_a_relative_error_keeps_no_bit_too_many_and_none_too_few) {
  std::mt19937 random(3);
  for (int n = 0; n < 300; ++n) {
    const double most =
        std::exp(std::uniform_real_distribution<double>(std::log(1e-14), std::log(0.25))(random));
    Case one;
    one.of_file().error = one.error(true, most);
    const int bits = one.storage().significant_bits;
    EXPECT_LE(std::ldexp(1.0, -bits - 1), most);
    EXPECT_TRUE(bits == 1 || std::ldexp(1.0, -bits) > most) << bits << " for " << most;
    EXPECT_EQ(one.storage().step, 0);
  }
}

TEST(Rounding, to_an_absolute_error_is_to_multiples_of_a_power_of_two) {
  std::mt19937 random(4);
  for (int n = 0; n < 300; ++n) {
    const double most = std::exp(std::uniform_real_distribution<double>(-200, 200)(random));
    Case one;
    one.of_file().error = one.error(false, most);
    const double step = one.storage().step;
    int exponent = 0;
    EXPECT_EQ(std::frexp(step, &exponent), 0.5);
    EXPECT_LE(step / 2, most);
    EXPECT_GT(step, most) << "a coarser one does too";
    EXPECT_EQ(one.storage().significant_bits, 0);
  }
}

TEST(Rounding, is_in_the_units_of_the_file) {
  Case one;
  one.of_file().error = one.error(false, 0.5, "cm s-1");
  EXPECT_EQ(one.storage().step, std::ldexp(1.0, -7));

  one.of_file().error = one.error(false, 0.5, "kg");
  expect_only_error(one.plan().findings, one.of_file().error->where, "error in \"kg\"");

  Case bare;
  bare.config.config.data_groups[0].fields[0].metadata.units = {};
  bare.of_file().error = bare.error(false, 0.5, "m");
  expect_only_error(bare.plan().findings, bare.of_file().error->where, "it has no units");
}

TEST(Rounding, is_what_is_said_closest_to_the_variable_whichever_way_it_is_said) {
  Case one;
  one.of_file().error = one.error(false, 0.25);
  one.of_field().significant_bits = 9;
  EXPECT_EQ(one.storage().significant_bits, 9);
  EXPECT_EQ(one.storage().step, 0);

  one.of_include().error = one.error(false, 0.25);
  EXPECT_EQ(one.storage().significant_bits, 0);
  EXPECT_EQ(one.storage().step, 0.5);
}

TEST(Compressing, is_by_the_codec_that_is_named_closest_to_the_variable) {
  Case one;
  EXPECT_FALSE(one.storage().compression.is_packed());
  one.of_file().codec = by(codecs::deflate(), 4);
  EXPECT_EQ(one.storage().compression, (Compression{&codecs::deflate(), 4, Shuffle::bytes}));

  one.of_include().codec = by(codecs::zstd(), 2);
  one.of_file().shuffle = one.config.text("false");
  EXPECT_EQ(one.storage().compression, (Compression{&codecs::zstd(), 2, Shuffle::none}));

  one.of_include().codec = CodecConfig{};
  EXPECT_FALSE(one.storage().compression.is_packed());
}

TEST(Compressing, sorts_bits_where_the_codec_does) {
  Case one;
  one.of_file().shuffle = one.config.text("bits");
  one.of_file().codec = by(codecs::blosc(), 5);
  EXPECT_EQ(one.storage().compression, (Compression{&codecs::blosc(), 5, Shuffle::bits}));

  one.of_file().codec = by(codecs::zstd(), 5);
  expect_only_error(one.plan().findings, one.of_file().shuffle.where, "zstd does not sort bits");
}

}  // namespace
}  // namespace pileus::planning_test
