#pragma once
// The records of one input that a model rank holds: what it asks for, what has come, and what is made of it.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "inputs/model_input.h"

namespace pileus {

/// Between two records, `weight` of the way from the first to the second. This is all the arithmetic that
/// there is in time: the same bits on every rank, as each element is by itself.
inline double between(double first, double second, double weight) {
  return first + weight * (second - first);
}

class HeldRecords {
 public:
  HeldRecords(ModelInput input, BroughtInput brought);

  const ModelInput& input() const { return input_; }
  const BroughtInput& brought() const { return brought_; }

  /// What a value at that time is made of. Errors: UsageError for a time that the file does not cover, or
  /// that is before one that was asked for.
  InputBracket at(double time_s) const;
  /// What is to be asked for, now that such a value is wanted: records that it is made of and those ahead of
  /// them, each once. nullopt: nothing. What is older is let go.
  std::optional<WantedRecords> advance(std::uint32_t number, const InputBracket& bracket);
  /// What is to be asked for before any value is wanted: values that do not change.
  std::optional<WantedRecords> first_wanted(std::uint32_t number);
  bool has(const InputBracket& bracket) const;
  /// Errors: TransportError for a record that was not asked for, or of another size.
  void take(std::int64_t record, std::span<const std::byte> values);
  /// Writes the value into the model's array. REQUIRES: has(). `byte_strides`: one for each dimension, or
  /// empty for a dense array.
  void write(const InputBracket& bracket, std::byte* first, std::span<const Index> byte_strides) const;
  /// It was written for that time. Values that do not change are let go, and read again if they are wanted
  /// once more.
  void end(double time_s);

  std::size_t size_bytes() const;

 private:
  std::size_t record_bytes() const;

  ModelInput input_;
  BroughtInput brought_;
  std::map<std::int64_t, std::vector<std::byte>> records_;
  bool is_asked_ = false;  ///< for records from asked_from_ up to asked_until_, without that
  std::int64_t asked_from_ = 0, asked_until_ = 0;
  std::optional<double> last_s_;
};

}  // namespace pileus
