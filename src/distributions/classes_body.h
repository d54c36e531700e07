#pragma once
// The loops of ClassLoops, compiled once for each instruction set; included by those files alone.

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "distributions/classes.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace pileus::distributions {
namespace {

constexpr std::size_t kTogether = 64;  // numbers that are added

/// Finds keys among those of classes.
class KeySearch {
 public:
  explicit KeySearch(const Classes& classes) : keys_(classes.keys.data()) {
    std::array<std::int32_t, kBlocks> lasts;
    for (std::size_t block = 0; block < kBlocks; ++block) lasts[block] = keys_[kBlock * block + kBlock - 1];
#ifdef __AVX2__
    lasts_[0] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lasts.data()));
    lasts_[1] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lasts.data() + kBlock));
#else
    lasts_ = lasts;
#endif
  }

  /// Where the first key stands that is not lower, or the last place.
  std::size_t operator()(std::int32_t key) const {
    const std::size_t begin = kBlock * std::min(lower_lasts(key), kBlocks - 1);
    return std::min(begin + lower_in(keys_ + begin, key), kBlock * kBlocks - 1);
  }

 private:
  static constexpr std::size_t kBlocks = 16, kBlock = Classes::kMost / kBlocks;
#ifdef __AVX2__
  static std::size_t lower(__m256i eight, __m256i key) {
    const __m256 is_lower = _mm256_castsi256_ps(_mm256_cmpgt_epi32(key, eight));
    return static_cast<std::size_t>(std::popcount(static_cast<unsigned>(_mm256_movemask_ps(is_lower))));
  }
  std::size_t lower_lasts(std::int32_t key) const {
    const __m256i keys = _mm256_set1_epi32(key);
    return lower(lasts_[0], keys) + lower(lasts_[1], keys);
  }
  static std::size_t lower_in(const std::int32_t* block, std::int32_t key) {
    return lower(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)), _mm256_set1_epi32(key));
  }
  __m256i lasts_[2];
#else
  std::size_t lower_lasts(std::int32_t key) const {
    std::int32_t lower = 0;
    for (const std::int32_t last : lasts_) lower += last < key ? 1 : 0;
    return static_cast<std::size_t>(lower);
  }
  static std::size_t lower_in(const std::int32_t* block, std::int32_t key) {
    std::int32_t lower = 0;
    for (std::size_t i = 0; i < kBlock; ++i) lower += block[i] < key ? 1 : 0;
    return static_cast<std::size_t>(lower);
  }
  std::array<std::int32_t, kBlocks> lasts_;
#endif
  const std::int32_t* keys_;
};

/// Writes classes whose keys rise, or are alike and become one, over what they had.
class ClassWriter {
 public:
  explicit ClassWriter(Classes& classes) : classes_(classes) {}
  void put(std::int32_t key, std::uint32_t count) {
    const std::uint32_t is_new = key != key_ ? 1 : 0;  // no branch, which nobody could foresee
    end_ += is_new;
    count_ = count + (count_ & (is_new - 1));
    key_ = key;
    classes_.keys[end_ - 1] = key;
    classes_.counts[end_ - 1] = count_;
  }
  /// `before`: how many places to clear up to.
  void finish(ClassesState& state, std::size_t before) {
    for (std::size_t i = end_; i < before; ++i) {
      classes_.keys[i] = Classes::kUnused;
      classes_.counts[i] = 0;
    }
    state.used = static_cast<std::uint16_t>(end_);
  }

 private:
  Classes& classes_;
  std::size_t end_ = 0;
  std::int32_t key_ = Classes::kUnused;
  std::uint32_t count_ = 0;
};

/// How many more bits to leave out of sorted keys.
std::uint8_t bits_to_drop(std::span<const std::int32_t> sorted) {
  std::size_t first_alike[33] = {};  // neighbours, by how many bits they lack when they are alike
  for (std::size_t i = 1; i < sorted.size(); ++i)
    ++first_alike[std::bit_width(static_cast<std::uint32_t>(sorted[i] ^ sorted[i - 1]))];
  std::size_t classes = sorted.size() - first_alike[0], dropped = 0;
  while (classes > Classes::kMost) classes -= first_alike[++dropped];
  return static_cast<std::uint8_t>(dropped);
}

/// Adds numbers that have no classes yet, some of which find no room.
void widen_for(Classes& classes, ClassesState& state, std::span<const std::int32_t> numbers) {
  constexpr std::size_t kMost = Classes::kMost + kTogether;
  std::int32_t more[kTogether + 1], old[Classes::kMost + 1], keys[kMost];
  std::uint32_t old_counts[Classes::kMost + 1], counts[kMost];
  std::size_t size = 0;
  for (const std::int32_t number : numbers) {
    const std::int32_t key = number >> state.dropped;
    std::size_t at = size++;
    for (; at > 0 && more[at - 1] > key; --at) more[at] = more[at - 1];
    more[at] = key;
  }
  std::memcpy(old, classes.keys.data(), sizeof classes.keys);
  std::memcpy(old_counts, classes.counts.data(), sizeof classes.counts);
  more[size] = old[state.used] = Classes::kUnused;  // behind all
  const std::size_t all = state.used + size;
  for (std::size_t i = 0, of_old = 0, of_more = 0; i < all; ++i) {
    const bool is_old = old[of_old] <= more[of_more];
    keys[i] = is_old ? old[of_old] : more[of_more];
    counts[i] = is_old ? old_counts[of_old] : 1;
    of_old += is_old ? 1 : 0;
    of_more += is_old ? 0 : 1;
  }
  const std::uint8_t dropped = bits_to_drop({keys, all});
  ClassWriter writer(classes);
  for (std::size_t i = 0; i < all; ++i) writer.put(keys[i] >> dropped, counts[i]);
  writer.finish(state, Classes::kMost);
  state.dropped = static_cast<std::uint8_t>(state.dropped + dropped);
}

/// Adds a number that may have no class yet. False where there is no room for its class.
bool insert(Classes& classes, ClassesState& state, std::int32_t number) {
  const std::int32_t key = number >> state.dropped;
  std::int32_t lower = 0;
  for (const std::int32_t one : classes.keys) lower += one < key ? 1 : 0;
  const auto at = static_cast<std::size_t>(lower);
  const bool is_there = at < state.used && classes.keys[at] == key;
  if (!is_there && state.used == Classes::kMost) return false;
  if (!is_there) {
    const std::size_t behind = (state.used - at) * sizeof key;
    std::memmove(classes.keys.data() + at + 1, classes.keys.data() + at, behind);
    std::memmove(classes.counts.data() + at + 1, classes.counts.data() + at, behind);
    classes.keys[at] = key;
    classes.counts[at] = 0;
    ++state.used;
  }
  ++classes.counts[at];
  return true;
}

void add(Classes& classes, ClassesState& state, std::span<const std::int32_t> numbers) {
  std::int32_t others[kTogether];
  for (std::size_t from = 0; from < numbers.size(); from += kTogether) {
    const KeySearch search(classes);
    const auto some = numbers.subspan(from, std::min(kTogether, numbers.size() - from));
    const int dropped = state.dropped;
    std::size_t left = 0;
    for (const std::int32_t number : some) {
      const std::int32_t key = number >> dropped;
      const std::size_t at = search(key);
      const bool is_there = classes.keys[at] == key;
      classes.counts[at] += is_there ? 1 : 0;
      others[left] = number;
      left += is_there ? 0 : 1;
    }
    std::size_t added = 0;
    while (added < left && insert(classes, state, others[added])) ++added;
    if (added < left) widen_for(classes, state, {others + added, left - added});
  }
}

/// By 8 bits at a time. REQUIRES: as many numbers as `other` has room for.
void sort(std::span<std::int32_t> numbers, std::int32_t* other) {
  constexpr int kBits = 8, kDigits = 4;
  std::uint16_t places[kDigits][1 << kBits] = {};
  const auto digit = [](std::int32_t number, int d) {
    return (static_cast<std::uint32_t>(number) ^ (1U << 31)) >> d * kBits & ((1U << kBits) - 1);
  };
  for (const std::int32_t number : numbers)
    for (int d = 0; d < kDigits; ++d) ++places[d][digit(number, d)];
  std::int32_t *from = numbers.data(), *to = other;
  for (int d = 0; d < kDigits; ++d) {
    if (places[d][digit(from[0], d)] == numbers.size()) continue;  // all alike
    std::uint16_t begin = 0;
    for (std::uint16_t& place : places[d])
      begin = static_cast<std::uint16_t>(begin + std::exchange(place, begin));
    for (std::size_t i = 0; i < numbers.size(); ++i) to[places[d][digit(from[i], d)]++] = from[i];
    std::swap(from, to);
  }
  if (from != numbers.data()) std::copy_n(from, numbers.size(), numbers.data());
}

/// How many numbers have which key, from the first word's begin on.
class KeyCounts {
 public:
  /// A range has at most 2^kBits keys, and one more.
  static constexpr int kBits = 10;

  KeyCounts(std::span<const std::int32_t> numbers, std::int32_t low, int dropped)
      : base_((low >> dropped) & -kWordBits) {
    for (const std::int32_t number : numbers) ++counts_[(number >> dropped) - base_];
    for (std::size_t i = 0; i < kWords; ++i) words_[i] = word(counts_ + i * kWordBits);
  }
  /// How many there are with `more` bits left out, at most log2(kWordBits).
  std::size_t classes(int more) const {
    int count = 0;
    for (std::uint64_t word : words_) {
      for (int level = 0; level < more; ++level) word |= word >> (1 << level);
      count += std::popcount(word & kFirsts[more]);
    }
    return static_cast<std::size_t>(count);
  }
  void put_into(ClassWriter& writer, int more) const {
    for (std::size_t i = 0; i < kWords; ++i)
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        const auto at = static_cast<std::int32_t>(i * kWordBits) + std::countr_zero(word);
        writer.put((base_ + at) >> more, counts_[at]);
      }
  }

 private:
  static constexpr std::int32_t kWordBits = 64;
  static constexpr std::size_t kWords = (1 << kBits) / kWordBits + 2;
  /// Every 2^i-th bit.
  static constexpr std::uint64_t kFirsts[] = {~std::uint64_t{0},
                                              0x5555555555555555,
                                              0x1111111111111111,
                                              0x0101010101010101,
                                              0x0001000100010001,
                                              0x0000000100000001,
                                              1};

  /// Which counts are not 0.
  static std::uint64_t word(const std::uint16_t* counts) {
    std::uint64_t word = 0;
#ifdef __AVX2__
    for (int k = 0; k < kWordBits; k += 32) {
      const auto* const from = reinterpret_cast<const __m256i*>(counts + k);
      const __m256i both = _mm256_packs_epi16(_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1));
      const __m256i in_order = _mm256_permute4x64_epi64(both, 0xD8);
      const __m256i is_0 = _mm256_cmpeq_epi8(in_order, _mm256_setzero_si256());
      word |= std::uint64_t{~static_cast<std::uint32_t>(_mm256_movemask_epi8(is_0))} << k;
    }
#else
    for (int k = 0; k < kWordBits; ++k) word |= std::uint64_t{counts[k] != 0} << k;
#endif
    return word;
  }

  std::int32_t base_;
  std::uint64_t words_[kWords];
  std::uint16_t counts_[kWords * kWordBits] = {};
};

void make(Classes& classes, ClassesState& state, std::span<std::int32_t> numbers, std::int32_t* other) {
  state = {};
  std::int32_t low = numbers[0], high = numbers[0];
  for (const std::int32_t number : numbers) {
    low = number < low ? number : low;
    high = number > high ? number : high;
  }
  const std::uint32_t range = static_cast<std::uint32_t>(high) - static_cast<std::uint32_t>(low);
  int dropped = static_cast<int>(std::bit_width(range)) - KeyCounts::kBits;
  dropped = dropped > 0 ? dropped : 0;
  const KeyCounts counts(numbers, low, dropped);
  int more = 0;
  while (counts.classes(more) > Classes::kMost) ++more;
  ClassWriter writer(classes);
  if (more > 0 || dropped == 0) {
    state.dropped = static_cast<std::uint8_t>(dropped + more);
    counts.put_into(writer, more);
  } else {  // some lie far from the others
    sort(numbers, other);
    state.dropped = bits_to_drop(numbers);
    for (const std::int32_t number : numbers) writer.put(number >> state.dropped, 1);
  }
  writer.finish(state, Classes::kMost);
}

}  // namespace
}  // namespace pileus::distributions
