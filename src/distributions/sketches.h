#pragma once
// What is kept of the numbers of many series that come step by step, for their quantiles, in bounded memory:
// of each the numbers, up to a count, and from there on how many have which first bits. It follows from the
// numbers alone, not from their order. A state of time manipulations.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/encoder.h"
#include "distributions/classes.h"

namespace pileus::distributions {

class Sketches {
 public:
  /// So many numbers of a series are kept as they are, and so many classes of numbers later.
  static constexpr std::size_t kMost = Classes::kMost;
  /// The steps whose numbers wait, so that the memory of a series is touched once for all of them.
  static constexpr std::size_t kWaiting = 32;

  explicit Sketches(std::size_t series);
  std::size_t size() const { return size_; }

  /// Adds a step: to each series a number, but where it equals `absent`. REQUIRES: as many as series.
  void add(std::span<const double> numbers, std::optional<double> absent = {});
  /// The quantile of each as find_quantiles() has it, exact up to kMost numbers. Of more, a number is the
  /// middle of its class; classes are as wide as it takes for kMost of them. NaN where there is a NaN, and
  /// `of_none` where there is no number.
  void quantiles(double share, double of_none, std::span<double> to) const;
  /// Lets the numbers go, and keeps the memory for others.
  void clear();

  std::size_t allocated_bytes() const;
  /// Of a series, with all that a few of them take.
  static constexpr std::size_t most_bytes_of_one() {
    return sizeof(State) + kWords * sizeof(std::uint32_t) + kWaiting * sizeof(double) + sizeof(Tile);
  }
  /// Tells whether there is a number.
  bool encode(std::size_t series, Bytes& out) const;
  /// Takes its bytes off those that it gets. REQUIRES: nothing was added to the series.
  /// Errors: TransportError where they are not those of encode().
  void decode(std::size_t series, std::span<const std::byte>& in);

 private:
  static constexpr std::size_t kWidth = 256;  // series side by side
  static constexpr std::size_t kWords = sizeof(Classes) / sizeof(std::uint32_t);

  /// What is kept of a series: up to kMost numbers, the first bits of twice as many, or classes.
  enum class Form : std::uint8_t { numbers, first_bits, classes };
  struct State {
    std::uint64_t count = 0;
    ClassesState classes;
    Form form = Form::numbers;
    bool has_nan = false;  ///< and nothing else is kept
  };
  struct Tile {
    std::vector<State> states;
    std::vector<double> waiting;      ///< by step, then by series
    std::vector<std::uint32_t> kept;  ///< by series
    std::size_t words = 0;            ///< of `kept`, for each
    std::size_t most_waiting = kWaiting;
  };
  /// A series with what waits for it.
  struct Whole {
    State state;
    alignas(Classes) std::uint32_t kept[kWords];
  };

  static void add_to(State& state, std::uint32_t* kept, std::span<const double> numbers);
  static void make_classes(State& state, std::uint32_t* kept, std::span<const double> more);
  static void settle(Tile& tile);
  static void make_room(Tile& tile);
  static double quantile_of_classes(const Whole& whole, double share);
  static double quantile(Whole& whole, double share, double of_none);
  void take(const Tile& tile, std::size_t place, Whole& whole) const;

  std::size_t size_;
  std::vector<Tile> tiles_;
};

}  // namespace pileus::distributions
