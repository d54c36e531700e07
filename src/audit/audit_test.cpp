#include "audit/audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"

namespace pileus {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::span<const std::byte> bytes_of(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

/// In another way: the two variances themselves, in long double.
struct Told {
  long double largest = 0, rms = 0, loss = 0;
};

Told told(const std::vector<double>& before, const std::vector<float>& after) {
  long double sum = 0, sum_after = 0, count = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::isnan(before[i])) continue;
    sum += before[i];
    sum_after += after[i];
    ++count;
  }
  Told out;
  long double variance = 0, variance_after = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::isnan(before[i])) continue;
    const long double error = static_cast<long double>(after[i]) - before[i];
    out.largest = std::max(out.largest, std::abs(error));
    out.rms += error * error / count;
    variance += (before[i] - sum / count) * (before[i] - sum / count);
    variance_after += (after[i] - sum_after / count) * (after[i] - sum_after / count);
  }
  out.rms = std::sqrt(out.rms);
  out.loss = 1 - variance_after / variance;
  return out;
}

TEST(Audit, is_that_of_the_two_variances) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(290, 12);
  for (const double step : {1e-3, 0.25, 8.0}) {
    std::vector<double> before(5000);
    std::vector<float> after(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      before[i] = i % 7 == 3 ? kNaN : normal(random);
      after[i] = i % 7 == 3 ? 9e36F : static_cast<float>(std::nearbyint(before[i] / step) * step);
    }
    const Told expected = told(before, after);
    Audit whole = audit_of(before, bytes_of(after), ElementType::float32);
    EXPECT_EQ(whole.count, 5000 - 714);
    EXPECT_EQ(largest_error(whole), static_cast<double>(expected.largest));
    EXPECT_NEAR(rms_error(whole), static_cast<double>(expected.rms), 1e-14);
    EXPECT_NEAR(variance_loss(whole), static_cast<double>(expected.loss), 1e-12);

    Audit parts;
    for (std::size_t first = 0; first < before.size(); first += 1250)
      parts += audit_of(std::span(before).subspan(first, 1250), bytes_of(after).subspan(first * 4, 5000),
                        ElementType::float32);
    EXPECT_EQ(parts.count, whole.count);
    EXPECT_EQ(largest_error(parts), largest_error(whole));
    EXPECT_NEAR(rms_error(parts), static_cast<double>(expected.rms), 1e-14);
    EXPECT_NEAR(variance_loss(parts), static_cast<double>(expected.loss), 1e-12);
  }
}

TEST(Audit, nothing_is_lost_of_what_stays) {
  const std::vector<double> before = {1, 2.5, -3};
  const Audit audit = audit_of(before, std::as_bytes(std::span(before)), ElementType::float64);
  EXPECT_EQ(largest_error(audit), 0);
  EXPECT_EQ(rms_error(audit), 0);
  EXPECT_EQ(variance_loss(audit), 0);
  EXPECT_FALSE(std::signbit(variance_loss(audit)));
}

TEST(Audit, what_has_no_number_has_no_error) {
  Audit none = audit_of(std::vector<double>{kNaN, kInfinity}, bytes_of({1, 1}), ElementType::float32);
  EXPECT_TRUE(std::isnan(largest_error(none)));
  EXPECT_TRUE(std::isnan(rms_error(none)));
  EXPECT_TRUE(std::isnan(variance_loss(none)));
  const Audit one = audit_of(std::vector<double>{2, 4}, bytes_of({2, 5}), ElementType::float32);
  EXPECT_EQ(none += one, one);
  EXPECT_EQ(none += Audit(), one);
}

TEST(Audit, a_number_that_the_file_cannot_have_is_an_infinite_error) {
  const std::vector<double> before = {1e300, 1, 3};
  const Audit audit =
      audit_of(before, bytes_of({std::numeric_limits<float>::infinity(), 1, 3}), ElementType::float32);
  EXPECT_EQ(largest_error(audit), kInfinity);
  EXPECT_EQ(audit.count, 2);
  EXPECT_EQ(rms_error(audit), 0);
}

TEST(Audit, of_what_does_not_vary_no_part_can_be_lost) {
  const std::vector<double> before = {2, 2};
  EXPECT_EQ(variance_loss(audit_of(before, bytes_of({2, 2}), ElementType::float32)), 0);
  EXPECT_EQ(variance_loss(audit_of(before, bytes_of({3, 3}), ElementType::float32)), 0);
  EXPECT_TRUE(std::isnan(variance_loss(audit_of(before, bytes_of({2, 3}), ElementType::float32))));
}

TEST(Audit, travels) {
  const Audit audit = audit_of(std::vector<double>{2, 4, 9}, bytes_of({2, 5, 8}), ElementType::float32);
  Bytes bytes;
  Encoder out(bytes);
  put(out, audit);
  Decoder in(bytes);
  EXPECT_EQ(get_audit(in), audit);
  const Bytes shorter(bytes.begin(), bytes.end() - 1);
  Decoder cut(shorter);
  EXPECT_THROW(get_audit(cut), TransportError);
}

}  // namespace
}  // namespace pileus
