#include "distributions/sketches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "core/error.h"
#include "distributions/order_statistics.h"

namespace pileus::distributions {
namespace {

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNone = -1234;
constexpr double kShares[] = {0, 0.01, 0.05, 0.5, 0.95, 1};

Sketches sketch_of(const Values& values) {
  Sketches sketch(1);
  for (const double& one : values) sketch.add({&one, 1});
  return sketch;
}

double quantile(const Sketches& sketches, double share) {
  Values found(sketches.size());
  sketches.quantiles(share, kNone, found);
  return found[0];
}

Bytes bytes_of(const Sketches& sketches, std::size_t series = 0) {
  Bytes bytes;
  (void)sketches.encode(series, bytes);
  return bytes;
}

double exact(Values values, double share) {
  double found = 0;
  find_quantiles(values, {&share, 1}, {&found, 1});
  return found;
}

/// By the definition: the fewest bits are left out with which there are 128 classes or fewer; each number
/// becomes the middle of its class.
Values classed(const Values& values) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  Values middles;
  for (int dropped = 32;; ++dropped) {
    std::map<std::uint64_t, std::size_t> classes;
    for (const double value : values) {
      std::uint64_t bits = 0;
      const double number = value + 0.0;
      std::memcpy(&bits, &number, sizeof bits);
      ++classes[((bits & kSign) != 0 ? ~bits : bits | kSign) >> dropped];
    }
    if (classes.size() > 128) continue;
    const auto number = [](std::uint64_t ordered) {
      const std::uint64_t bits = (ordered & kSign) != 0 ? ordered & ~kSign : ~ordered;
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    };
    for (const auto& [key, count] : classes) {
      const double low = number(key << dropped), high = number(((key + 1) << dropped) - 1);
      const double middle = low == 0 || !std::isfinite(high) ? low
                            : std::isfinite(low)             ? low / 2 + high / 2
                                                             : high;
      middles.insert(middles.end(), count, std::isnan(low) ? high : middle);
    }
    return middles;
  }
}

/// Numbers of many kinds, which lie close together or far apart.
std::vector<std::pair<const char*, std::function<double(std::mt19937_64&)>>> kinds() {
  using Random = std::mt19937_64;
  const auto normal = [](double mean, double width) {
    return [=](Random& random) { return std::normal_distribution<double>(mean, width)(random); };
  };
  return {{"warm", normal(280, 10)},
          {"wind", normal(0, 5)},
          {"rain",
           [](Random& random) {
             const double rain = std::exp(std::normal_distribution<double>(-8, 3)(random));
             return random() % 5 < 3 ? 0 : rain;
           }},
          {"few", [](Random& random) { return static_cast<double>(random() % 150) - 20; }},
          {"alike", [](Random&) { return 1.5; }},
          {"of any size",
           [](Random& random) {
             const double size = std::exp2(std::uniform_real_distribution<double>(-1000, 1000)(random));
             return random() % 2 == 0 ? -size : size;
           }},
          {"infinite", [](Random& random) {
             return random() % 3 == 0 ? -kInfinity : random() % 2 == 0 ? kInfinity : -0.0;
           }}};
}

TEST(Sketches, AreByTheirDefinitionForAnyNumbers) {
  for (const auto& [name, number] : kinds())
    for (const std::size_t size : {1, 31, 100, 128, 129, 200, 256, 257, 300, 500, 3000}) {
      std::mt19937_64 random(size);
      Values values(size);
      for (double& one : values) one = number(random);
      const Sketches sketch = sketch_of(values);
      Values expected = size <= 128 ? values : classed(values);
      for (const double share : kShares) {
        const double found = quantile(sketch, share), right = exact(expected, share);
        EXPECT_TRUE(found == right || (std::isnan(found) && std::isnan(right)))
            << name << ' ' << size << ' ' << share << ": " << found << ", not " << right;
      }
    }
}

TEST(Sketches, DoNotFollowTheOrderOfNumbers) {
  for (const auto& [name, number] : kinds())
    for (const std::size_t size : {150, 280, 1000}) {
      std::mt19937_64 random(4);
      Values values(size);
      for (double& one : values) one = number(random);
      const Bytes bytes = bytes_of(sketch_of(values));
      for (int i = 0; i < 20; ++i) {
        std::ranges::shuffle(values, random);
        EXPECT_EQ(bytes_of(sketch_of(values)), bytes) << name << ' ' << size;
      }
      std::ranges::sort(values);
      EXPECT_EQ(bytes_of(sketch_of(values)), bytes) << name << ' ' << size;
    }
}

/// Series that lack some of their numbers, beside each other, and of several tiles.
TEST(Sketches, AreThoseOfEachSeriesByItself) {
  constexpr std::size_t kSeries = 530, kSteps = 300;
  constexpr double kAbsent = -999;
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal(0, 3);
  std::vector<Values> of_series(kSeries);
  Sketches sketches(kSeries);
  Values step(kSeries);
  for (const bool is_again : {false, true}) {
    for (Values& one : of_series) one.clear();
    for (std::size_t s = 0; s < kSteps; ++s) {
      for (std::size_t i = 0; i < kSeries; ++i) {
        step[i] = i == 7 || random() % kSeries < i ? kAbsent : normal(random);
        if (i == 9 && s == 40) step[i] = kNan;
        if (step[i] != kAbsent) of_series[i].push_back(step[i]);
      }
      sketches.add(step, kAbsent);
    }
    Values found(kSeries);
    sketches.quantiles(0.9, kNone, found);
    for (std::size_t i = 0; i < kSeries; ++i) {
      if (i == 9) {
        EXPECT_TRUE(std::isnan(found[i]));
        continue;
      }
      const double right = of_series[i].empty() ? kNone : quantile(sketch_of(of_series[i]), 0.9);
      EXPECT_EQ(found[i], right) << i << ' ' << is_again;
      EXPECT_EQ(bytes_of(sketches, i), bytes_of(sketch_of(of_series[i])));
    }
    EXPECT_LE(sketches.allocated_bytes(), kSeries * Sketches::most_bytes_of_one());
    sketches.clear();
  }
}

/// Classes of one octave are as wide as each other, and one width less would take more than 128 of them.
TEST(Sketches, AreWithinTheirBoundOfTheRange) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(260, 310);
  Values values(5000);
  for (double& one : values) one = uniform(random);
  const Sketches sketch = sketch_of(values);
  for (const double share : kShares)
    EXPECT_LE(std::fabs(quantile(sketch, share) - exact(values, share)), 50.0 / 127) << share;
}

/// Over r octaves the error is at most (r + 1) / 128 of a number.
TEST(Sketches, AreWithinTheirBoundOfNumbersOfManySizes) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-5, 6);
  Values values(3000);
  for (double& one : values) one = std::exp2(exponent(random));
  const Sketches sketch = sketch_of(values);
  for (const double share : kShares) {
    const double right = exact(values, share);
    EXPECT_LE(std::fabs(quantile(sketch, share) - right), right * 12 / 128) << share;
  }
}

TEST(Sketches, AreNanWhereANumberIs) {
  Sketches sketch = sketch_of({1, 2, kNan});
  EXPECT_TRUE(std::isnan(quantile(sketch, 0.5)));
  const Values many(200, 3);
  for (const double& one : many) sketch.add({&one, 1});
  EXPECT_TRUE(std::isnan(quantile(sketch, 0.5)));
  EXPECT_EQ(quantile(Sketches(1), 0.5), kNone);
}

TEST(Sketches, GoOnFromTheirBytes) {
  for (const auto& [name, number] : kinds())
    for (const std::size_t size : {0, 1, 100, 128, 129, 256, 2000}) {
      std::mt19937_64 random(6);
      Values values(size);
      for (double& one : values) one = number(random);
      Sketches sketch = sketch_of(values);
      Bytes bytes = bytes_of(sketch);
      std::span<const std::byte> in(bytes);
      Sketches again(1);
      again.decode(0, in);
      EXPECT_TRUE(in.empty());
      EXPECT_EQ(bytes_of(again), bytes);
      for (int i = 0; i < 200; ++i) {
        const double one = number(random);
        sketch.add({&one, 1});
        again.add({&one, 1});
      }
      EXPECT_EQ(bytes_of(again), bytes_of(sketch)) << name << ' ' << size;
      bytes.pop_back();
      in = bytes;
      EXPECT_THROW(Sketches(1).decode(0, in), TransportError);
    }
}

#ifdef PILEUS_X86_KERNELS
TEST(Sketches, AreMadeByEveryProcessorAlike) {
  if (&best_class_loops() != &kAvx2ClassLoops) GTEST_SKIP() << "this processor has no AVX2";
  for (const auto& [name, number] : kinds()) {
    std::mt19937_64 random(9);
    std::vector<std::int32_t> first(288), other(288), more(32);
    for (std::int32_t& one : first) one = first_bits(number(random));
    Classes made[2];
    ClassesState states[2];
    for (int way = 0; way < 2; ++way) {
      const ClassLoops& loops = way == 0 ? kPortableClassLoops : kAvx2ClassLoops;
      std::vector<std::int32_t> numbers = first;
      loops.make(made[way], states[way], numbers, other.data());
      std::mt19937_64 later(10);
      for (int step = 0; step < 50; ++step) {
        for (std::int32_t& one : more) one = first_bits(number(later));
        loops.add(made[way], states[way], more);
      }
    }
    EXPECT_EQ(made[0].keys, made[1].keys) << name;
    EXPECT_EQ(made[0].counts, made[1].counts) << name;
    EXPECT_EQ(states[0].dropped, states[1].dropped) << name;
  }
}
#endif

}  // namespace
}  // namespace pileus::distributions
