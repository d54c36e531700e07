// Exact results against Python's integers; generate_cases.py writes the files and says what stands in them.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "functions/elementary.h"
#include "functions/power.h"
#include "math/exact_number.h"
#include "math/exact_sum.h"
#include "math/partial.h"
#include "math/weighted_mean.h"

namespace pileus {
namespace {

/// The numbers of each line; PILEUS_MATH_CASES names another directory than testdata/.
std::vector<std::vector<double>> cases_of(const std::string& name) {
  const char* elsewhere = std::getenv("PILEUS_MATH_CASES");
  const std::string usual = std::string(PILEUS_SOURCE_DIR) + "/src/math/testdata";
  std::ifstream file((elsewhere != nullptr ? elsewhere : usual) + "/" + name);
  std::vector<std::vector<double>> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    cases.emplace_back();
    for (std::string word; words >> word;) cases.back().push_back(std::strtod(word.c_str(), nullptr));
  }
  return cases;
}

/// The same bits, but any NaN for a NaN. Zeros: the sign of an exact zero is +, that of an underflow is kept.
bool is_same(double result, double expected) {
  if (std::isnan(expected)) return std::isnan(result);
  return std::bit_cast<std::uint64_t>(result) == std::bit_cast<std::uint64_t>(expected);
}

TEST(PythonCases, sums_agree) {
  const auto cases = cases_of("sums.txt");
  ASSERT_GE(cases.size(), 200U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::span<const double> values(cases[i].data(), cases[i].size() - 1);
    ExactSum sum;
    Partial partial(Reduction::sum);

    sum.add(values);
    partial.add(values);
    partial.multiply(3);
    partial.divide(3);

    ASSERT_TRUE(is_same(sum.round(), cases[i].back())) << "line " << i + 1 << ": " << sum.round();
    ASSERT_TRUE(is_same(partial.value(), cases[i].back())) << "line " << i + 1;
  }
}

TEST(PythonCases, quotients_agree) {
  const auto cases = cases_of("quotients.txt");
  ASSERT_GE(cases.size(), 200U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];

    const double quotient =
        divide_rounded(ExactNumber(c[0]) + ExactNumber(c[1]), ExactNumber(c[2]) * ExactNumber(c[3]));

    ASSERT_TRUE(is_same(quotient, c[4])) << "line " << i + 1 << ": " << quotient << " not " << c[4];
  }
}

TEST(PythonCases, weighted_means_agree) {
  const auto cases = cases_of("weighted_means.txt");
  ASSERT_GE(cases.size(), 200U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];
    ExactWeightedMean mean;

    for (std::size_t k = 0; k + 4 < c.size(); k += 4) {
      Partial partial(Reduction::mean);
      partial.add(c[k + 1]);
      partial.add(std::vector<double>(static_cast<std::size_t>(c[k + 2]) - 1, 0.0));
      partial.divide(c[k + 3]);
      mean.add(c[k], partial);
    }

    ASSERT_TRUE(is_same(mean.value(), c.back())) << "line " << i + 1 << ": " << mean.value();
  }
}

TEST(PythonCases, second_moments_agree) {
  const auto cases = cases_of("moments.txt");
  ASSERT_GE(cases.size(), 200U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];
    std::vector<double> x, y;
    for (std::size_t k = 0; k + 3 < c.size(); k += 2) {
      x.push_back(c[k]);
      y.push_back(c[k + 1]);
    }
    Partial variance(Reduction::variance), deviation(Reduction::standard_deviation),
        covariance(Reduction::covariance);

    variance.add(x);
    deviation.add(x);
    covariance.add_pairs({x}, {y});

    ASSERT_TRUE(is_same(variance.value(), c[c.size() - 3])) << "line " << i + 1 << ": " << variance.value();
    ASSERT_TRUE(is_same(deviation.value(), c[c.size() - 2])) << "line " << i + 1 << ": " << deviation.value();
    ASSERT_TRUE(is_same(covariance.value(), c.back())) << "line " << i + 1 << ": " << covariance.value();
  }
}

TEST(PythonCases, weighted_reductions_agree) {
  constexpr std::array kAll = {Reduction::weighted_sum,
                               Reduction::weighted_mean,
                               Reduction::weighted_variance,
                               Reduction::weighted_standard_deviation,
                               Reduction::weighted_root_mean_square,
                               Reduction::weighted_covariance};
  const auto cases = cases_of("weighted.txt");
  ASSERT_GE(cases.size(), 200U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];
    const std::size_t results = c.size() - kAll.size();
    std::vector<double> x, y, w;
    for (std::size_t k = 0; k < results; k += 3) {
      x.push_back(c[k]);
      y.push_back(c[k + 1]);
      w.push_back(c[k + 2]);
    }
    for (std::size_t r = 0; r < kAll.size(); ++r) {
      Partial partial(kAll[r]);
      partial.add_weighted({x}, {y}, w);

      ASSERT_TRUE(is_same(partial.value(), c[results + r]))
          << "line " << i + 1 << ": the " << word_of(kAll[r]) << " is " << partial.value();
    }
  }
}

TEST(PythonCases, powers_agree) {
  const auto cases = cases_of("powers.txt");
  ASSERT_GE(cases.size(), 200U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];

    const double result = power(c[0], c[1]);

    ASSERT_TRUE(is_same(result, c[2])) << "line " << i + 1 << ": " << c[0] << "^" << c[1] << " is " << c[2]
                                       << ", not " << result << ", which is off by " << result - c[2];
    double of_many = 0;
    powers(std::span(&c[0], 1), &c[1], &of_many);
    ASSERT_TRUE(is_same(of_many, c[2])) << "line " << i + 1 << " among many";
  }
}

TEST(PythonCases, functions_agree) {
  struct Function {
    const char* file;
    double (*compute)(double);
    void (*compute_many)(std::span<const double>, double*) = nullptr;
  };
  const Function functions[] = {{"exponentials.txt", exponential, exponentials},
                                {"logarithms.txt", logarithm, logarithms},
                                {"sines.txt", sine},
                                {"cosines.txt", cosine}};
  for (const auto& [file, compute, compute_many] : functions) {
    const auto cases = cases_of(file);
    ASSERT_GE(cases.size(), 200U);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const double x = cases[i][0], expected = cases[i][1], result = compute(x);
      ASSERT_TRUE(is_same(result, expected))
          << file << ": " << i + 1 << ": at " << x << " it is " << expected << ", not " << result;
      if (!compute_many) continue;
      double of_many = 0;
      compute_many(std::span(&x, 1), &of_many);
      ASSERT_TRUE(is_same(of_many, expected)) << file << ": " << i + 1 << " among many";
    }
  }
}

}  // namespace
}  // namespace pileus
