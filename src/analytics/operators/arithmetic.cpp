#include "analytics/operators/arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "core/catalogue.h"
#include "core/missing.h"
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
        results_(program.instructions.size()) {
    for (const AlignedInput& input : inputs) may_lack_ = may_lack_ || input.missing;
    for (const Instruction& one : program.instructions)
      may_lack_ = may_lack_ || one.operation == Operation::keep;
  }

  /// `offsets`: where the block's first element finds its operand in each input.
  void run_block(const std::vector<Index>& offsets, Index count, double* out) {
    if (may_lack_) std::fill(is_missing_.begin(), is_missing_.end(), false);
    const std::size_t last = program_.instructions.size() - 1;
    for (std::size_t i = 0; i < last; ++i) run(i, offsets, count, registers_.data() + i * kBlock);
    run(last, offsets, count, out);
    if (results_[last] != out) std::copy(results_[last], results_[last] + count, out);
    for (Index i = 0; may_lack_ && i < count; ++i) {
      if (is_missing_[static_cast<std::size_t>(i)]) out[i] = kMissing;
    }
  }

 private:
  /// Writes the block's values to `out`, unless they are an input's and lie there as they are needed.
  void run(std::size_t i, const std::vector<Index>& offsets, Index count, double* out) {
    const Instruction& instruction = program_.instructions[i];
    const double* a = results_[instruction.left < i ? instruction.left : 0];
    const double* b = results_[instruction.right < i ? instruction.right : 0];
    results_[i] = out;
    switch (instruction.operation) {
      case Operation::constant: std::fill(out, out + count, instruction.constant); break;
      case Operation::input: {
        const AlignedInput& input = inputs_[instruction.left];
        const Index stride = input.strides.empty() ? 0 : input.strides[0];
        if (input.array.type == ElementType::float64 && (stride == 1 || count == 1))
          results_[i] = reinterpret_cast<const double*>(input.array.bytes.get()) + offsets[instruction.left];
        else
          load(input.array, offsets[instruction.left], stride, count, out);
        if (input.missing) note_missing(results_[i], count, as_stored(*input.missing, input.array.type));
        break;
      }
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
      case Operation::keep:
        results_[i] = a;
        note_missing(b, count, 0);
        break;
    }
  }

  template <class Comparison>
  static void compare(const double* a, const double* b, Index count, double* out, Comparison is_so) {
    std::transform(a, a + count, b, out, [&](double x, double y) { return is_so(x, y) ? 1.0 : 0.0; });
  }

  void note_missing(const double* values, Index count, double missing) {
    for (Index i = 0; i < count; ++i) {
      if (values[i] == missing) is_missing_[static_cast<std::size_t>(i)] = true;
    }
  }

  const Program& program_;
  const std::vector<AlignedInput>& inputs_;
  std::vector<double> registers_;
  std::vector<const double*> results_;  ///< where each instruction's values of this block lie
  bool may_lack_ = false;
  std::array<bool, kBlock> is_missing_{};  ///< of the block
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
