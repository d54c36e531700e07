#pragma once

// The exact sum of any number of doubles, in any order, rounded once when it is asked for.
// Used by Partial and by everything that must not depend on how a field is spread over ranks (architecture.md
// D2). It must never depend on the order of additions or merges.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pileus {
namespace detail {
struct BlockFit;
}

/// A sum of doubles without any rounding: two doubles, as long as they hold it, and 32-bit limbs in 64-bit
/// integers over the whole range of doubles for what they do not. NaN and infinities are counted beside the
/// finite sum. Equal addends give equal bytes whatever the path.
/// REQUIRES: fewer than 2^60 addends; round to nearest without flush-to-zero (FloatingPointEnvironment).
class ExactSum {
 public:
  /// Limb i stands for 2^(32 (i + kFirstExponent)); 68 of them hold 2^60 times the largest double.
  static constexpr std::size_t kLimbs = 68;
  static constexpr int kFirstExponent = -34;

  /// The finite part as sign and magnitude; limbs [first, first + count) are those between the first and the
  /// last that is not zero.
  struct Magnitude {
    bool negative = false;
    std::size_t first = 0;
    std::size_t count = 0;
    std::array<std::uint32_t, kLimbs> limbs{};
    std::span<const std::uint32_t> used() const { return std::span(limbs).subspan(first, count); }
  };

  ExactSum() {}  // without limbs: those that nobody uses are never read
  ExactSum(const ExactSum& other) { *this = other; }
  ExactSum& operator=(const ExactSum& other);

  void add(double value);
  void add(std::span<const double> values);
  void add(std::span<const float> values);
  void add(std::span<const std::int8_t> values);
  void add(std::span<const std::int32_t> values);
  void add(std::span<const std::int64_t> values);
  void add_integer(std::int64_t value);
  /// Adds values[0], values[stride], … ; the stride may be negative. T: as above.
  template <class T>
  void add_strided(const T* values, std::size_t count, std::ptrdiff_t stride_elements);
  /// Adds values[c + r · stride], r < rows, to *sums[c]: many columns at once, for T of at most 53 bits.
  template <class T>
  static void add_columns(std::span<ExactSum* const> sums, const T* values, std::size_t rows,
                          std::ptrdiff_t stride_elements);
  void merge(const ExactSum& other);

  /// The double nearest to the sum, ties to even; beyond the range ±Inf.
  /// NaN if a NaN or both infinities were added; an exact zero is +0, even where every addend was −0.
  double round() const;
  /// No NaN and no infinity was added.
  bool is_finite() const;
  /// The sum is finite and exactly zero.
  bool is_zero() const;
  Magnitude magnitude() const;
  /// Two doubles whose sum it is, the larger one first; nullopt where it is not held so, or not finite.
  std::optional<std::array<double, 2>> two_doubles() const;

  /// Equal sums of the finite addends and equal numbers of NaN, +Inf and −Inf.
  friend bool operator==(const ExactSum& a, const ExactSum& b);

  /// Appends the canonical bytes: equal sums give equal bytes.
  void encode(std::vector<std::byte>& out) const;
  /// Takes one sum from the front of `in`.
  /// Errors: std::invalid_argument for anything that encode does not write.
  static ExactSum decode(std::span<const std::byte>& in);

 private:
  template <class T>
  void add_values(std::span<const T> values);
  template <class T>
  bool add_block(std::span<const T> block, detail::BlockFit& fit);
  void add_finite(double value);
  void add_to_limbs(std::uint64_t bits);
  bool has_limbs() const { return end_used_ > 0; }
  void merge_limbs(const ExactSum& other);
  void use(std::uint32_t first, std::uint32_t end);
  void carry_all();
  ExactSum in_limbs() const;
  Magnitude magnitude_of_limbs() const;
  std::array<std::int64_t, kLimbs> carried_limbs() const;

  // The value is high_ + low_ and the sum of limbs_[i] · 2^(32 (i + kFirstExponent)). |limbs_[i]| <
  // (pending_ + 1) · 2^32, so carries wait until pending_ is large.
  double high_ = 0, low_ = 0;
  std::array<std::int64_t, kLimbs> limbs_;
  // Those from first_used_ up to end_used_, which most sums have few of; the others count as 0.
  std::uint32_t first_used_ = kLimbs;
  std::uint32_t end_used_ = 0;
  std::uint64_t pending_ = 0;
  std::uint64_t nan_count_ = 0;
  std::uint64_t plus_infinity_count_ = 0;
  std::uint64_t minus_infinity_count_ = 0;
};

}  // namespace pileus
