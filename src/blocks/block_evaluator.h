#pragma once
// Evaluates equations block by block: every instruction passes over a block of numbers that stays in the
// first cache, and nothing is as large as a field. Used by arithmetic and by reductions of what is computed.

#include <cstdint>
#include <optional>
#include <vector>

#include "blocks/register_places.h"
#include "core/array.h"
#include "expression/program.h"
#include "loops/element_loops.h"

namespace pileus {

/// An input of an equation, laid against the result: how far neighbours of the RESULT's dimensions lie apart
/// in it.
struct AlignedInput {
  Array array;
  Index offset = 0;                    ///< elements: where the result's first element finds its operand
  Extents strides;                     ///< elements, one for each dimension of the result; 0: broadcast
  std::optional<double> missing = {};  ///< elements equal to it make the result kMissing
};

/// Memory that blocks are computed in. Evaluators that run one after the other may share it.
struct BlockRegisters {
  std::vector<double> values;
  std::vector<std::uint8_t> masks;
};

class BlockEvaluator {
 public:
  /// `makes_one_nan`: every NaN of the results is the same one, on every processor; reductions care for that
  /// themselves. `registers`: null: its own. REQUIRES: all outlive it; it stays where it is.
  BlockEvaluator(const Program& program, const std::vector<AlignedInput>& inputs, bool makes_one_nan = false,
                 BlockRegisters* registers = nullptr);
  BlockEvaluator(const BlockEvaluator&) = delete;
  BlockEvaluator& operator=(const BlockEvaluator&) = delete;

  /// The inputs have other arrays from now on, or others have used the registers.
  void begin();

  /// Computes a box of the result to `out`, densely, fastest dimension first.
  void compute(const Region& box, double* out);

 private:
  /// Elements that are computed together.
  static constexpr Index kBlock = 512;
  /// Registers a power of two apart would lie in the same few places of the first cache.
  static constexpr Index kRegister = kBlock + 72;
  using Mask = std::uint8_t;  ///< 1: missing

  /// What an input's register holds, so that what repeats is loaded once.
  struct Loaded {
    Index offset = -1;
    std::int64_t shape = -1;
  };

  void lay_axes(const Region& box);
  bool is_one_row() const;
  void run_row(double* out);
  void run_block(Index count, double* out);
  void put_off(std::size_t instruction, double* out);
  bool join_last_step(std::size_t instruction, double* out);
  void put_off_one_nan(double* out);
  void run_steps(Index count);
  void load_input(std::size_t instruction, Index count);
  void run(std::size_t instruction, Index count, double* out);
  void combine_masks(std::size_t instruction, Index count);
  void combine_select(std::size_t instruction, Index count);
  double* register_of(std::size_t instruction) {
    return registers_->values.data() + places_.of[instruction] * kRegister;
  }
  Mask* mask_of(std::size_t instruction) { return registers_->masks.data() + instruction * kBlock; }

  const Program& program_;
  const std::vector<AlignedInput>& inputs_;
  const detail::ElementLoops& element_loops_ = detail::element_loops();
  std::vector<std::optional<detail::ElementOperation>> elements_;  ///< by instruction; none: not of those
  std::vector<detail::ElementStep> steps_;                         ///< put off until something needs them
  std::size_t last_put_off_ = 0;                                   ///< whose result the last of them makes
  std::vector<std::uint8_t> uses_;                                 ///< by instruction: 0, 1 or more
  std::vector<std::uint8_t> repeats_;  ///< by instruction: its values are one strip that is used again
  RegisterPlaces places_;
  BlockRegisters own_;
  BlockRegisters* registers_;
  std::vector<const double*> results_;  ///< where each instruction's values of this block lie
  std::vector<const Mask*> lacking_;    ///< likewise, of which of them are missing; null: none
  bool makes_one_nan_;
  bool may_lack_ = false;
  bool has_steps_alone_ = false;  ///< inputs, constants and what is of the processor's own

  // Of the box; dimensions that lie as one in every input are one axis.
  std::vector<Index> extents_;               ///< by axis
  std::vector<std::vector<Index>> strides_;  ///< by input and axis
  // Of the block.
  std::vector<Index> counts_;   ///< along the first of the axes
  std::int64_t shape_ = 0;      ///< another number for other counts or strides
  std::vector<Index> offsets_;  ///< by input: where the block's first element finds its operand
  std::vector<Loaded> loaded_;  ///< by instruction
};

}  // namespace pileus
