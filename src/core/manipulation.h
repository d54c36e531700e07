#pragma once
// What a time manipulation declares of itself, once: each is a file of its name in src/time/manipulations,
// which has its Declaration and its window, and a line in the list below. The wiring hands the declarations
// to whoever reads a configuration; all others ask the one that a schedule of the plan has.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// In the order of the reference.
// clang-format off
#define PILEUS_MANIPULATIONS(manipulation) \
  manipulation(instantaneous)              \
  manipulation(averaged)                   \
  manipulation(none)                       \
  manipulation(accumulated)                \
  manipulation(minimum)                    \
  manipulation(maximum)                    \
  manipulation(variance)                   \
  manipulation(root_mean_square)           \
  manipulation(range)                      \
  manipulation(standard_deviation)         \
  manipulation(first)                      \
  manipulation(last)                       \
  manipulation(skewness)                   \
  manipulation(kurtosis)                   \
  manipulation(longest_run)                \
  manipulation(difference)                 \
  manipulation(tendency)                   \
  manipulation(time_of_minimum)            \
  manipulation(time_of_maximum)            \
  manipulation(covariance)                 \
  manipulation(correlation)                \
  manipulation(weighted_mean)              \
  manipulation(median)                     \
  manipulation(percentile_01)              \
  manipulation(percentile_05)              \
  manipulation(percentile_10)              \
  manipulation(percentile_25)              \
  manipulation(percentile_75)              \
  manipulation(percentile_90)              \
  manipulation(percentile_95)              \
  manipulation(percentile_99)              \
  manipulation(time_spectrum)
// clang-format on

namespace pileus {

class Window;  // of the room time

/// Which samples a record is made of.
enum class RecordOf : std::uint8_t {
  each_sample,
  output_time,   ///< the first sample at or after it
  output_period  ///< all that stand for some of it; the record has bounds
};

/// What the numbers of a record are.
enum class RecordHolds : std::uint8_t {
  samples,   ///< what the samples are, so that it has their standard_name
  change,    ///< something else, with units that follow from theirs
  number,    ///< of units 1
  duration,  ///< in s
  time       ///< model time, with the units of the time axis
};

/// What becomes of the origin of the samples' units, as degrees Celsius have one, so that the record can be
/// converted to others.
enum class UnitOrigin : std::uint8_t {
  kept,     ///< the record is a sample, or a mean of some
  dropped,  ///< it is made of differences
  lost      ///< neither: it can become other units of the same origin
};

struct ManipulationDeclaration {
  const char* name;
  const char* help;                   ///< one line
  const char* cell_method = nullptr;  ///< of CF, in time; nullptr: CF has no word, and the long_name says it
  RecordOf record_of;
  bool keeps_type;  ///< the record has the type of its samples, not double precision
  RecordHolds holds = RecordHolds::samples;
  /// Of a record that is of the samples or a change of them, from their units. nullptr: the same ones.
  std::string (*units)(const std::string& units) = nullptr;
  /// A window of one value. `is_exact`: the value is small, and the record is rounded once, from exact sums;
  /// otherwise it is summed in the order of the steps with about 106 bits, and Partials are rounded before.
  /// `missing`: elements equal to it, and Partials of nothing, are left out; where nothing is left the record
  /// has the fill value.
  std::unique_ptr<Window> (*make_window)(bool is_exact, std::optional<double> missing);
  /// The most that an exact window keeps of an element, where the first sample does not show it.
  /// `is_apart`: the exact sums may be such that each element is kept by itself. nullptr: it does show it.
  std::uint64_t (*exact_bytes)(bool is_apart) = nullptr;
  /// The most that any window keeps of an element, where the first sample does not show it.
  std::uint64_t (*element_bytes)() = nullptr;
  const char* note = nullptr;  ///< what files say of a record beside its name
  /// An exact window is an ExactWindow, so that those of values side by side can be one.
  bool can_share_windows = false;
  UnitOrigin origin = UnitOrigin::lost;
  /// What it makes of all samples is what it makes of its records of parts of them, as a maximum is.
  bool is_of_parts = false;
  bool takes_pairs = false;           ///< of a field and another one, which the window gets by add_pair()
  bool is_of_segments = false;        ///< a record has a dimension more; Variable::segments says of what
  const char* monc_suffix = nullptr;  ///< of a variable in MONC's files; nullptr: "_" and the name
};

/// One of them. Two are equal when they are the same.
class Manipulation {
 public:
  Manipulation(const ManipulationDeclaration& declaration) : declaration_(&declaration) {}
  const ManipulationDeclaration* operator->() const { return declaration_; }
  bool covers_window() const { return declaration_->record_of == RecordOf::output_period; }
  friend bool operator==(const Manipulation&, const Manipulation&) = default;

 private:
  const ManipulationDeclaration* declaration_;  // has static storage
};

inline std::vector<std::string> manipulation_words() {
#define PILEUS_WORD(name) #name,
  return {PILEUS_MANIPULATIONS(PILEUS_WORD)};
#undef PILEUS_WORD
}

}  // namespace pileus
