#include "analytics/operators/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/catalogue.h"

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
      : program_(program), inputs_(inputs), registers_(program.instructions.size() * kBlock) {}

  /// `offsets`: where the block's first element finds its operand in each input.
  void run_block(const std::vector<Index>& offsets, Index count, double* out) {
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) run(i, offsets, count);
    const double* result = at(program_.instructions.size() - 1);
    std::copy(result, result + count, out);
  }

 private:
  double* at(std::size_t instruction) { return registers_.data() + instruction * kBlock; }

  void run(std::size_t i, const std::vector<Index>& offsets, Index count) {
    const Instruction& instruction = program_.instructions[i];
    double* out = at(i);
    const double* a = at(instruction.left < i ? instruction.left : 0);
    const double* b = at(instruction.right < i ? instruction.right : 0);
    switch (instruction.operation) {
      case Operation::constant: std::fill(out, out + count, instruction.constant); break;
      case Operation::input: {
        const AlignedInput& input = inputs_[instruction.left];
        load(input.array, offsets[instruction.left], input.strides.empty() ? 0 : input.strides[0], count,
             out);
        break;
      }
      case Operation::negate: std::transform(a, a + count, out, std::negate<>()); break;
      case Operation::add: std::transform(a, a + count, b, out, std::plus<>()); break;
      case Operation::subtract: std::transform(a, a + count, b, out, std::minus<>()); break;
      case Operation::multiply: std::transform(a, a + count, b, out, std::multiplies<>()); break;
      case Operation::divide: std::transform(a, a + count, b, out, std::divides<>()); break;
      case Operation::power:
        std::transform(a, a + count, b, out, [](double x, double y) { return std::pow(x, y); });
        break;
    }
  }

  const Program& program_;
  const std::vector<AlignedInput>& inputs_;
  std::vector<double> registers_;
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
  std::vector<double> result(static_cast<std::size_t>(size));
  if (size == 0) return make_array(std::move(result), extents);

  Evaluator evaluator(program, inputs);
  const Index row = extents.empty() ? 1 : extents[0];
  std::vector<Index> position(extents.size(), 0);
  std::vector<Index> offsets(inputs.size());
  for (Index first = 0; first < size; first += row) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      offsets[k] = inputs[k].offset;
      for (std::size_t d = 1; d < extents.size(); ++d) offsets[k] += position[d] * inputs[k].strides[d];
    }
    for (Index done = 0; done < row; done += kBlock) {
      const Index count = std::min(kBlock, row - done);
      evaluator.run_block(offsets, count, result.data() + first + done);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (!extents.empty()) offsets[k] += count * inputs[k].strides[0];
      }
    }
    for (std::size_t d = 1; d < extents.size() && ++position[d] == extents[d]; ++d) position[d] = 0;
  }
  return make_array(std::move(result), extents);
}

}  // namespace pileus
