#include "spectra/transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace pileus::spectra {
namespace {

using Exact = std::complex<long double>;

std::vector<Lanes> random_lines(std::size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Lanes> lines(size);
  for (Lanes& one : lines)
    for (double& number : one.of) number = static_cast<double>(generator()) / 0x1p32 - 0.5;
  return lines;
}

/// By its definition.
Exact mode_of(const std::vector<Lanes>& real, const std::vector<Lanes>& imaginary, std::size_t lane,
              std::size_t k) {
  Exact sum = 0;
  for (std::size_t j = 0; j < real.size(); ++j) {
    const long double angle = -2 * std::acos(-1.0L) * static_cast<long double>(j * k % real.size()) /
                              static_cast<long double>(real.size());
    sum += Exact(real[j].of[lane], imaginary[j].of[lane]) * Exact(std::cos(angle), std::sin(angle));
  }
  return sum;
}

void expect_near(const Modes& found, std::size_t lane, Exact expected, std::size_t size) {
  const double bound = 1e-15 * static_cast<double>(size);
  EXPECT_NEAR(found.real.of[lane], static_cast<double>(expected.real()), bound);
  EXPECT_NEAR(found.imaginary.of[lane], static_cast<double>(expected.imag()), bound);
}

TEST(Transform, real_lines_have_the_modes_of_the_definition) {
  for (std::size_t size = 1; size <= 60; ++size) {
    SCOPED_TRACE(size);
    const std::vector<Lanes> lines = random_lines(size, 1), nothing(size);
    std::vector<Modes> modes(size / 2 + 1);

    Transform(size).of_real(lines, modes);

    for (std::size_t k = 0; k < modes.size(); ++k)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        expect_near(modes[k], lane, mode_of(lines, nothing, lane, k), size);
  }
}

TEST(Transform, complex_lines_have_the_modes_of_the_definition) {
  for (const std::size_t size : {1, 2, 3, 7, 16, 30, 49, 101, 106, 159}) {
    SCOPED_TRACE(size);
    const std::vector<Lanes> real = random_lines(size, 1), imaginary = random_lines(size, 2);
    std::vector<Modes> lines, modes(size);
    for (std::size_t i = 0; i < size; ++i) lines.push_back({real[i], imaginary[i]});

    Transform(size).of_complex(lines, modes);

    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        expect_near(modes[k], lane, mode_of(real, imaginary, lane, k), size);
  }
}

TEST(Transform, a_line_has_the_same_bits_in_each_lane_and_beside_any_others) {
  for (const std::size_t size : {12, 35, 64, 47, 53}) {
    const std::vector<Lanes> lines = random_lines(size, 3);
    std::vector<Modes> modes(size / 2 + 1), moved_modes(size / 2 + 1);
    Transform transform(size);
    transform.of_real(lines, modes);
    std::vector<Lanes> moved(size, 1e300);
    for (std::size_t i = 0; i < size; ++i) moved[i].of[3] = lines[i].of[1];

    transform.of_real(moved, moved_modes);

    for (std::size_t k = 0; k < modes.size(); ++k) {
      EXPECT_EQ(moved_modes[k].real.of[3], modes[k].real.of[1]);
      EXPECT_EQ(moved_modes[k].imaginary.of[3], modes[k].imaginary.of[1]);
    }
  }
}

TEST(Transform, all_sets_of_instructions_give_the_same_bits) {
  for (std::size_t size = 1; size <= 130; ++size) {
    SCOPED_TRACE(size);
    const std::vector<Lanes> lines = random_lines(size, 4);
    std::vector<Modes> expected(size / 2 + 1), modes(size / 2 + 1);
    Transform(size, *transform_sets().front()).of_real(lines, expected);

    for (const TransformSet* const set : transform_sets()) {
      Transform(size, *set).of_real(lines, modes);
      EXPECT_EQ(std::memcmp(modes.data(), expected.data(), modes.size() * sizeof(Modes)), 0);
    }
  }
}

}  // namespace
}  // namespace pileus::spectra
