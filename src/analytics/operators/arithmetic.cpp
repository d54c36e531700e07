#include "analytics/operators/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/catalogue.h"
#include "core/missing.h"
#include "math/elementary.h"
#include "math/power.h"

namespace pileus {
namespace operators {
Declaration arithmetic();
}
namespace {

/// Elements that are computed together: every instruction passes over a block that stays in the cache.
constexpr Index kBlock = 256;

template <class T>
void load(const Array& array, Index first, Index stride, Index count, double* out) {
  const T* values = reinterpret_cast<const T*>(array.bytes.get()) + first;
  for (Index i = 0; i < count; ++i) out[i] = static_cast<double>(values[i * stride]);
}

void load(const Array& array, Index first, Index stride, Index count, double* out) {
  switch (array.type) {
    case ElementType::float64: return load<double>(array, first, stride, count, out);
    case ElementType::float32: return load<float>(array, first, stride, count, out);
    case ElementType::int32: return load<std::int32_t>(array, first, stride, count, out);
    case ElementType::int64: return load<std::int64_t>(array, first, stride, count, out);
    case ElementType::boolean: return load<std::int8_t>(array, first, stride, count, out);
    case ElementType::character: return;  // the Plan has no arithmetic on texts
  }
}

class Evaluator {
 public:
  Evaluator(const Program& program, const std::vector<AlignedInput>& inputs)
      : program_(program),
        inputs_(inputs),
        registers_(program.instructions.size() * kBlock),
        results_(program.instructions.size()),
        lacking_(program.instructions.size()) {
    for (const AlignedInput& input : inputs) may_lack_ = may_lack_ || input.missing;
    for (const Instruction& one : program.instructions)
      may_lack_ = may_lack_ || one.operation == Operation::keep;
    if (may_lack_) masks_.resize(registers_.size());
  }

  /// `offsets`: where the block's first element finds its operand in each input.
  void run_block(const std::vector<Index>& offsets, Index count, double* out) {
    const std::size_t last = program_.instructions.size() - 1;
    for (std::size_t i = 0; i < last; ++i) run(i, offsets, count, registers_.data() + i * kBlock);
    run(last, offsets, count, out);
    if (results_[last] != out) std::copy(results_[last], results_[last] + count, out);
    if (const Mask* lacking = lacking_[last]) {
      for (Index i = 0; i < count; ++i) out[i] = lacking[i] != 0 ? kMissing : out[i];
    }
  }

 private:
  using Mask = std::uint8_t;  ///< 1: missing

  /// Writes the block's values to `out`, unless they are an input's and lie there as they are needed.
  void run(std::size_t i, const std::vector<Index>& offsets, Index count, double* out) {
    const Instruction& instruction = program_.instructions[i];
    const Operation operation = instruction.operation;
    results_[i] = out;
    lacking_[i] = nullptr;
    if (operation == Operation::constant) {
      std::fill(out, out + count, instruction.constant);
    } else if (operation == Operation::input) {
      take_input(i, offsets[instruction.left], count, out);
    } else {
      compute(i, count, out);
      if (may_lack_) combine_masks(i, count);
    }
  }

  void take_input(std::size_t i, Index offset, Index count, double* out) {
    const AlignedInput& input = inputs_[program_.instructions[i].left];
    const Index stride = input.strides.empty() ? 0 : input.strides[0];
    if (input.array.type == ElementType::float64 && (stride == 1 || count == 1))
      results_[i] = reinterpret_cast<const double*>(input.array.bytes.get()) + offset;
    else
      load(input.array, offset, stride, count, out);
    if (!input.missing) return;
    const double missing = as_stored(*input.missing, input.array.type);
    std::transform(results_[i], results_[i] + count, mask(i), [&](double x) { return x == missing ? 1 : 0; });
    lacking_[i] = mask(i);
  }

  void compute(std::size_t i, Index count, double* out) {
    const Instruction& instruction = program_.instructions[i];
    const double* a = results_[instruction.left];
    const double* b = results_[instruction.right];
    switch (instruction.operation) {
      case Operation::constant:
      case Operation::input: break;
      case Operation::negate: std::transform(a, a + count, out, std::negate<>()); break;
      case Operation::add: std::transform(a, a + count, b, out, std::plus<>()); break;
      case Operation::subtract: std::transform(a, a + count, b, out, std::minus<>()); break;
      case Operation::multiply: std::transform(a, a + count, b, out, std::multiplies<>()); break;
      case Operation::divide: std::transform(a, a + count, b, out, std::divides<>()); break;
      case Operation::power: std::transform(a, a + count, b, out, power); break;
      case Operation::less: compare(a, b, count, out, std::less<>()); break;
      case Operation::less_equal: compare(a, b, count, out, std::less_equal<>()); break;
      case Operation::equal: compare(a, b, count, out, std::equal_to<>()); break;
      case Operation::not_equal: compare(a, b, count, out, std::not_equal_to<>()); break;
      case Operation::keep: results_[i] = a; break;
      case Operation::square_root: std::transform(a, a + count, out, square_root); break;
      case Operation::exponential: std::transform(a, a + count, out, exponential); break;
      case Operation::logarithm: std::transform(a, a + count, out, logarithm); break;
      case Operation::absolute:
        std::transform(a, a + count, out, [](double x) { return std::fabs(x); });
        break;
      case Operation::sine: std::transform(a, a + count, out, sine); break;
      case Operation::cosine: std::transform(a, a + count, out, cosine); break;
      case Operation::modulo: std::transform(a, a + count, b, out, modulo); break;
      case Operation::minimum: std::transform(a, a + count, b, out, minimum); break;
      case Operation::maximum: std::transform(a, a + count, b, out, maximum); break;
      case Operation::select: {
        const double* condition = results_[instruction.condition];
        for (Index k = 0; k < count; ++k) out[k] = condition[k] != 0 ? a[k] : b[k];
      }
    }
  }

  template <class Comparison>
  static void compare(const double* a, const double* b, Index count, double* out, Comparison is_so) {
    std::transform(a, a + count, b, out, [&](double x, double y) { return is_so(x, y) ? 1.0 : 0.0; });
  }

  Mask* mask(std::size_t i) { return masks_.data() + i * kBlock; }

  /// A result is missing where an operand is; of select, where what it takes is, or the condition.
  void combine_masks(std::size_t i, Index count) {
    const Instruction& instruction = program_.instructions[i];
    const int operands = operand_count(instruction.operation);
    const Mask* a = lacking_[instruction.left];
    const Mask* b = operands > 1 ? lacking_[instruction.right] : nullptr;
    if (instruction.operation == Operation::keep) {
      const double* keeps = results_[instruction.right];
      for (Index k = 0; k < count; ++k)
        mask(i)[k] = keeps[k] == 0 || (a != nullptr && a[k] != 0) || (b != nullptr && b[k] != 0) ? 1 : 0;
      lacking_[i] = mask(i);
    } else if (instruction.operation == Operation::select) {
      combine_select(i, a, b, count);
    } else if (a != nullptr && b != nullptr && a != b) {
      std::transform(a, a + count, b, mask(i), std::bit_or<>());
      lacking_[i] = mask(i);
    } else {
      lacking_[i] = a != nullptr ? a : b;
    }
  }

  void combine_select(std::size_t i, const Mask* a, const Mask* b, Index count) {
    const std::uint32_t by = program_.instructions[i].condition;
    const Mask* undecided = lacking_[by];
    if (a == nullptr && b == nullptr && undecided == nullptr) return;
    for (Index k = 0; k < count; ++k) {
      const Mask* taken = results_[by][k] != 0 ? a : b;
      mask(i)[k] = (taken != nullptr && taken[k] != 0) || (undecided != nullptr && undecided[k] != 0) ? 1 : 0;
    }
    lacking_[i] = mask(i);
  }

  const Program& program_;
  const std::vector<AlignedInput>& inputs_;
  std::vector<double> registers_;
  std::vector<const double*> results_;  ///< where each instruction's values of this block lie
  std::vector<Mask> masks_;
  std::vector<const Mask*> lacking_;  ///< likewise, of which of them are missing; null: none
  bool may_lack_ = false;
};

}  // namespace

Declaration operators::arithmetic() {
  return {"arithmetic",
          "Computes an equation element by element in double precision; dimensions match by name.",
          {{"equation",
            ParameterKind::expression,
            true,
            "",
            {},
            "numbers, fields, {options}, + - * / ^ and ( )"}},
          RuleKind::arithmetic};
}

Array evaluate(const Program& program, const std::vector<AlignedInput>& inputs,
               const std::vector<Index>& extents) {
  const Index size = Region{{}, extents}.size();
  if (size == 0) return make_array({}, extents);
  const auto result = std::make_shared_for_overwrite<double[]>(static_cast<std::size_t>(size));

  Evaluator evaluator(program, inputs);
  // Dimensions whose neighbours are equally far apart in every input are one long row.
  Index row = extents.empty() ? 1 : extents[0];
  std::size_t outer = 1;
  const auto goes_on = [&](const AlignedInput& input) {
    return input.strides[outer] == row * input.strides[0];
  };
  while (outer < extents.size() && std::ranges::all_of(inputs, goes_on)) row *= extents[outer++];
  std::vector<Index> position(extents.size(), 0);
  std::vector<Index> offsets(inputs.size());
  for (Index first = 0; first < size; first += row) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      offsets[k] = inputs[k].offset;
      for (std::size_t d = outer; d < extents.size(); ++d) offsets[k] += position[d] * inputs[k].strides[d];
    }
    for (Index done = 0; done < row; done += kBlock) {
      const Index count = std::min(kBlock, row - done);
      evaluator.run_block(offsets, count, result.get() + first + done);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (!extents.empty()) offsets[k] += count * inputs[k].strides[0];
      }
    }
    for (std::size_t d = outer; d < extents.size() && ++position[d] == extents[d]; ++d) position[d] = 0;
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(result.get());
  return {ElementType::float64, extents, std::shared_ptr<const std::byte>(result, bytes)};
}

}  // namespace pileus
