#include "functions/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "loops/testing/random_values.h"

namespace pileus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
constexpr double kPi = 0x1.921fb54442d18p+1;

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

const FunctionDeclaration& function(const std::string& word) {
  return *std::ranges::find(kDeclaredFunctions, word, &FunctionDeclaration::word);
}

double value(const FunctionDeclaration& declared, double a, double b = 0) {
  double out = 0;
  declared.run(&a, &b, 1, &out);
  return out;
}
double value(const std::string& word, double a, double b = 0) { return value(function(word), a, b); }

/// PILEUS_FUNCTION_CASES names another file, as of 20 000 cases each.
TEST(Functions, are_the_nearest_doubles_by_decimal_arithmetic) {
  const char* const elsewhere = std::getenv("PILEUS_FUNCTION_CASES");
  const std::string usual = std::string(PILEUS_SOURCE_DIR) + "/src/functions/testdata/functions.txt";
  std::ifstream file(elsewhere != nullptr ? elsewhere : usual);
  std::map<std::string, int> cases;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line);
    std::string word, text;
    words >> word;
    std::vector<double> numbers;
    while (words >> text) numbers.push_back(std::strtod(text.c_str(), nullptr));
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(function(word).arguments) + 1);
    ++cases[word];

    const double made = value(word, numbers[0], numbers[1]);

    EXPECT_EQ(bits(made), bits(numbers.back())) << number << ": " << line << ", not " << made;
  }
  const auto has_cases = [&](const FunctionDeclaration& one) { return cases[std::string(one.word)] >= 200; };
  for (const FunctionDeclaration& one : kDeclaredFunctions)
    EXPECT_TRUE(has_cases(one) || one.is_cheap) << one.word << ": the cheap ones are exact";
}

TEST(Functions, special_values_are_those_of_the_standard) {
  for (const char* const word : {"tan", "asin", "atan", "sinh", "tanh", "floor", "ceil", "round"}) {
    EXPECT_EQ(bits(value(word, 0.0)), bits(0.0)) << word;
    EXPECT_EQ(bits(value(word, -0.0)), bits(-0.0)) << word;
  }
  for (const char* const word : {"tan", "asin", "atan", "sinh", "tanh"})
    EXPECT_EQ(bits(value(word, -kSmallest)), bits(-kSmallest)) << word;
  EXPECT_EQ(value("atan", kInfinity), kPi / 2);
  EXPECT_EQ(value("atan", -kInfinity), -kPi / 2);
  EXPECT_EQ(value("sinh", -kInfinity), -kInfinity);
  EXPECT_EQ(value("sinh", 1000), kInfinity);
  EXPECT_EQ(value("cosh", -kInfinity), kInfinity);
  EXPECT_EQ(value("cosh", kSmallest), 1);
  EXPECT_EQ(value("tanh", kInfinity), 1);
  EXPECT_EQ(value("tanh", -1e300), -1);
  EXPECT_EQ(bits(value("acos", 1)), bits(0.0));
  EXPECT_EQ(value("acos", -1), kPi);
  EXPECT_EQ(value("acos", 0), kPi / 2);
  for (const char* const word : {"log10", "log2"}) {
    EXPECT_EQ(value(word, -0.0), -kInfinity) << word;
    EXPECT_EQ(bits(value(word, 1)), bits(0.0)) << word;
    EXPECT_EQ(value(word, kInfinity), kInfinity) << word;
  }
  EXPECT_EQ(value("hypot", -kInfinity, kNan), kInfinity);
}

TEST(Functions, the_angle_of_a_point_knows_zeros_and_infinities) {
  // ISO C, F.10.1.4.
  EXPECT_EQ(bits(value("atan2", 0.0, 1)), bits(0.0));
  EXPECT_EQ(bits(value("atan2", -0.0, 0.0)), bits(-0.0));
  EXPECT_EQ(value("atan2", 0.0, -0.0), kPi);
  EXPECT_EQ(value("atan2", -0.0, -1), -kPi);
  EXPECT_EQ(value("atan2", 1, -0.0), kPi / 2);
  EXPECT_EQ(value("atan2", -kInfinity, 5), -kPi / 2);
  EXPECT_EQ(value("atan2", 1, -kInfinity), kPi);
  EXPECT_EQ(bits(value("atan2", -1, kInfinity)), bits(-0.0));
  EXPECT_EQ(value("atan2", kInfinity, kInfinity), kPi / 4);
  EXPECT_EQ(value("atan2", -kInfinity, -kInfinity), -0x1.2d97c7f3321d2p+1);
  EXPECT_EQ(value("atan2", kSmallest, 4), 0);
  EXPECT_EQ(value("atan2", kSmallest, -0x1p1000), kPi);
  EXPECT_EQ(value("atan2", 0x1p1000, kSmallest), kPi / 2);
}

TEST(Functions, what_is_undefined_is_one_nan) {
  for (const FunctionDeclaration& one : kDeclaredFunctions) {
    EXPECT_EQ(bits(value(one, -kNan, 1)), bits(kNan)) << one.word;
    if (one.arguments == 2) {
      EXPECT_EQ(bits(value(one, 1, -kNan)), bits(kNan)) << one.word;
    }
  }
  for (const char* const word : {"asin", "acos"}) {
    EXPECT_EQ(bits(value(word, 1 + 0x1p-52)), bits(kNan)) << word;
    EXPECT_EQ(bits(value(word, -kInfinity)), bits(kNan)) << word;
  }
  for (const char* const word : {"log10", "log2"}) EXPECT_EQ(bits(value(word, -kSmallest)), bits(kNan));
  EXPECT_EQ(bits(value("tan", kInfinity)), bits(kNan));
}

TEST(Functions, logarithms_of_powers_are_whole) {
  for (int k = 0; k <= 22; ++k)
    EXPECT_EQ(value("log10", std::strtod(("1e" + std::to_string(k)).c_str(), nullptr)), k);
  for (int k = -1074; k < 1024; ++k) ASSERT_EQ(value("log2", std::ldexp(1.0, k)), k);
}

TEST(Functions, whole_numbers_are_rounded_to_as_numpy_does) {
  EXPECT_EQ(value("round", 0.5), 0);
  EXPECT_EQ(value("round", 1.5), 2);
  EXPECT_EQ(value("round", 2.5), 2);
  EXPECT_EQ(bits(value("round", -0.3)), bits(-0.0));
  EXPECT_EQ(value("floor", -0.5), -1);
  EXPECT_EQ(bits(value("ceil", -0.5)), bits(-0.0));
  EXPECT_EQ(value("floor", 0x1p60), 0x1p60);
  EXPECT_EQ(value("ceil", -kInfinity), -kInfinity);
}

TEST(Functions, the_sign_of_zeros_is_zero) {
  EXPECT_EQ(bits(value("sign", -0.0)), bits(0.0));
  EXPECT_EQ(value("sign", -kSmallest), -1);
  EXPECT_EQ(value("sign", kInfinity), 1);
}

TEST(Functions, hypotenuses_neither_overflow_nor_vanish) {
  EXPECT_EQ(value("hypot", 0x1.8p1000, -0x1p1001), 0x1.4p1001);  // 3, 4, 5
  EXPECT_EQ(value("hypot", 3 * kSmallest, 4 * kSmallest), 5 * kSmallest);
  EXPECT_EQ(value("hypot", 0, -2.5), 2.5);
  EXPECT_EQ(value("hypot", 1e300, 1e-300), 1e300);
}

TEST(Functions, are_near_those_of_the_c_library) {
  const std::map<std::string, double (*)(double)> others = {
      {"tan", std::tan},   {"asin", std::asin},   {"acos", std::acos},
      {"atan", std::atan}, {"sinh", std::sinh},   {"cosh", std::cosh},
      {"tanh", std::tanh}, {"log10", std::log10}, {"log2", std::log2}};
  testing::Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double x = i % 2 == 0 ? testing::any_finite(random) : testing::around_one(random, 9);
    for (const auto& [word, other] : others) {
      const double made = value(word, x), expected = other(x);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(made)) << word << " of " << x;
      } else {
        ASSERT_LE(std::abs(static_cast<std::int64_t>(bits(made)) - static_cast<std::int64_t>(bits(expected))),
                  3)
            << word << " of " << x;
      }
    }
  }
}

}  // namespace
}  // namespace pileus
