#include "blocks/block_evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "blocks/box_loads.h"
#include "core/missing.h"
#include "functions/elementary.h"
#include "functions/power.h"

namespace pileus {
namespace {

/// The operations that are one of the processor's.
std::optional<detail::ElementOperation> element_operation(Operation operation) {
  using detail::ElementOperation;
  switch (operation) {
    case Operation::negate: return ElementOperation::negate;
    case Operation::add: return ElementOperation::add;
    case Operation::subtract: return ElementOperation::subtract;
    case Operation::multiply: return ElementOperation::multiply;
    case Operation::divide: return ElementOperation::divide;
    case Operation::less: return ElementOperation::less;
    case Operation::less_equal: return ElementOperation::less_equal;
    case Operation::equal: return ElementOperation::equal;
    case Operation::not_equal: return ElementOperation::not_equal;
    case Operation::square_root: return ElementOperation::square_root;
    case Operation::absolute: return ElementOperation::absolute;
    case Operation::minimum: return ElementOperation::minimum;
    case Operation::maximum: return ElementOperation::maximum;
    case Operation::select: return ElementOperation::select;
    default: return {};
  }
}

/// How an operation goes on with what was made before it: its left operand, or not.
detail::ElementFollow follow_of(detail::ElementOperation operation, bool is_left) {
  using detail::ElementFollow, detail::ElementOperation;
  switch (operation) {
    case ElementOperation::absolute: return ElementFollow::absolute;
    case ElementOperation::square_root: return ElementFollow::square_root;
    case ElementOperation::add: return is_left ? ElementFollow::add : ElementFollow::added;
    case ElementOperation::subtract:
      return is_left ? ElementFollow::subtract : ElementFollow::subtracted_from;
    case ElementOperation::multiply: return is_left ? ElementFollow::multiply : ElementFollow::multiplied;
    case ElementOperation::divide: return is_left ? ElementFollow::divide : ElementFollow::divided_by;
    case ElementOperation::select: return ElementFollow::selects;
    default: return ElementFollow::nothing;
  }
}

}  // namespace

BlockEvaluator::BlockEvaluator(const Program& program, const std::vector<AlignedInput>& inputs,
                               bool makes_one_nan, BlockRegisters* registers)
    : program_(program),
      inputs_(inputs),
      uses_(uses_of(program)),
      repeats_(program.instructions.size(), 0),
      places_(places_of(program)),
      registers_(registers == nullptr ? &own_ : registers),
      results_(program.instructions.size()),
      lacking_(program.instructions.size()),
      makes_one_nan_(makes_one_nan),
      strides_(inputs.size()),
      offsets_(inputs.size()),
      loaded_(program.instructions.size()) {
  for (const AlignedInput& input : inputs) may_lack_ = may_lack_ || input.missing;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& one = program.instructions[i];
    elements_.push_back(element_operation(one.operation));
    may_lack_ = may_lack_ || one.operation == Operation::keep;
  }
  has_steps_alone_ = !may_lack_ && std::ranges::all_of(program.instructions, [](const Instruction& one) {
    return operand_count(one.operation) == 0 || element_operation(one.operation);
  }) && operand_count(program.instructions.back().operation) > 0;
  begin();
}

void BlockEvaluator::begin() {
  const std::size_t size = program_.instructions.size();
  if (registers_->values.size() < places_.count * kRegister)
    registers_->values.resize(places_.count * kRegister);
  if (may_lack_ && registers_->masks.size() < size * kBlock) registers_->masks.resize(size * kBlock);
  for (std::size_t i = 0; i < size; ++i) {
    const Instruction& one = program_.instructions[i];
    if (one.operation != Operation::constant) continue;
    std::fill_n(register_of(i), kBlock, one.constant);
    results_[i] = register_of(i);
  }
  std::ranges::fill(loaded_, Loaded{});
  std::ranges::fill(lacking_, nullptr);
  steps_.clear();
}

void BlockEvaluator::lay_axes(const Region& box) {
  ++shape_;
  extents_.clear();
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    strides_[k].clear();
    offsets_[k] = inputs_[k].offset;
    for (std::size_t d = 0; d < box.count.size(); ++d) offsets_[k] += box.start[d] * inputs_[k].strides[d];
  }
  for (std::size_t d = 0; d < box.count.size(); ++d) {
    if (box.count[d] == 1) continue;
    bool goes_on = !extents_.empty();
    for (std::size_t k = 0; k < inputs_.size() && goes_on; ++k)
      goes_on = extents_.back() * strides_[k].back() == inputs_[k].strides[d];
    if (goes_on) {
      extents_.back() *= box.count[d];
      continue;
    }
    extents_.push_back(box.count[d]);
    for (std::size_t k = 0; k < inputs_.size(); ++k) strides_[k].push_back(inputs_[k].strides[d]);
  }
}

void BlockEvaluator::compute(const Region& box, double* out) {
  if (box.size() == 0) return;
  lay_axes(box);
  if (has_steps_alone_ && is_one_row()) return run_row(out);
  // The axes before `cut` go whole into a block, and pieces of it.
  std::size_t cut = 0;
  Index whole = 1;
  while (cut < extents_.size() && whole * extents_[cut] <= kBlock) whole *= extents_[cut++];
  counts_.assign(extents_.begin(), extents_.begin() + static_cast<std::ptrdiff_t>(cut));
  if (cut == extents_.size()) return run_block(whole, out);

  const Index extent = extents_[cut], most = kBlock / whole;
  const Index pieces = (extent + most - 1) / most, piece = (extent + pieces - 1) / pieces;
  counts_.push_back(piece);
  const std::vector<Index> first = offsets_;
  std::vector<Index> position(extents_.size(), 0);
  for (;;) {
    const Index count = std::min(piece, extent - position[cut]);
    if (count != counts_[cut]) ++shape_;
    counts_[cut] = count;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      offsets_[k] = first[k];
      for (std::size_t a = cut; a < extents_.size(); ++a) offsets_[k] += position[a] * strides_[k][a];
    }
    run_block(whole * counts_[cut], out);
    out += whole * counts_[cut];
    std::size_t a = cut;
    for (position[a] += counts_[cut]; position[a] == extents_[a]; ++position[a]) {
      position[a] = 0;
      if (++a == extents_.size()) return;
    }
  }
}

/// Whether every input is one number or lies as the result does.
bool BlockEvaluator::is_one_row() const {
  if (extents_.size() > 1) return false;
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const Index stride = extents_.empty() ? 0 : strides_[k].front();
    if (stride == 1 && inputs_[k].array.type != ElementType::float64) return false;
    if (stride != 0 && stride != 1) return false;
  }
  return true;
}

/// All of it at once, strip by strip: results on the way stay in the first cache.
void BlockEvaluator::run_row(double* out) {
  const std::size_t size = program_.instructions.size();
  repeats_.assign(size, 1);
  counts_.clear();
  for (std::size_t i = 0; i < size; ++i) {
    const Instruction& one = program_.instructions[i];
    if (one.operation == Operation::constant) continue;
    if (one.operation == Operation::input) {
      const std::size_t k = one.left;
      repeats_[i] = extents_.empty() || strides_[k].front() == 0;
      results_[i] = repeats_[i] ? register_of(i) : inputs_[k].array.as<double>().data() + offsets_[k];
      if (repeats_[i]) {
        load_box(inputs_[k].array, offsets_[k], {}, {}, register_of(i));
        std::fill_n(register_of(i), kBlock, *register_of(i));
      }
      continue;
    }
    repeats_[i] = i + 1 < size;
    put_off(i, repeats_[i] ? register_of(i) : out);
  }
  if (makes_one_nan_) put_off_one_nan(out);
  run_steps(extents_.empty() ? 1 : extents_.front());
  repeats_.assign(size, 0);
}

void BlockEvaluator::run_block(Index count, double* out) {
  const std::size_t last = program_.instructions.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const Operation operation = program_.instructions[i].operation;
    if (operation == Operation::constant) continue;
    if (operation == Operation::input) {
      load_input(i, count);
    } else if (elements_[i]) {
      put_off(i, i == last ? out : register_of(i));
      if (may_lack_) run_steps(count);
    } else {
      run_steps(count);
      run(i, count, i == last ? out : register_of(i));
    }
    if (may_lack_ && operation != Operation::input) combine_masks(i, count);
  }
  run_steps(count);
  if (results_[last] != out) std::copy_n(results_[last], count, out);
  if (makes_one_nan_) put_off_one_nan(out);
  run_steps(count);
  if (const Mask* lacking = lacking_[last]) {
    for (Index i = 0; i < count; ++i) out[i] = lacking[i] != 0 ? kMissing : out[i];
  }
}

/// Until something needs it: what stands together is done together.
void BlockEvaluator::put_off(std::size_t i, double* out) {
  const Instruction& one = program_.instructions[i];
  results_[i] = out;
  if (!join_last_step(i, out)) {
    steps_.push_back({*elements_[i], detail::ElementFollow::nothing, results_[one.left], results_[one.right],
                      results_[one.condition], results_[one.left], out, repeats_[one.left] != 0,
                      repeats_[one.right] != 0, repeats_[one.condition] != 0, repeats_[one.left] != 0,
                      repeats_[i] != 0});
  }
  last_put_off_ = i;
}

/// What the last step makes for this one alone need not leave its register.
bool BlockEvaluator::join_last_step(std::size_t i, double* out) {
  if (steps_.empty() || uses_[last_put_off_] != 1) return false;
  detail::ElementStep& step = steps_.back();
  const Instruction& one = program_.instructions[i];
  const int operands = operand_count(one.operation);
  const bool is_condition = operands == 3 && one.condition == last_put_off_;
  const bool is_left = operands < 3 && one.left == last_put_off_;
  const bool is_right = operands == 2 && one.right == last_put_off_;
  const detail::ElementFollow follow = follow_of(*elements_[i], is_left);
  if (!(is_condition || is_left || is_right) || follow == detail::ElementFollow::nothing ||
      step.follow != detail::ElementFollow::nothing || !detail::can_follow(step.operation, follow))
    return false;
  const std::size_t c = is_condition || is_right ? one.left : one.right;
  step.follow = follow;
  if (operands > 1) step.c = results_[c];
  if (operands > 1) step.repeats_c = repeats_[c] != 0;
  if (is_condition) step.d = results_[one.right];
  if (is_condition) step.repeats_d = repeats_[one.right] != 0;
  step.out = out;
  step.repeats_out = repeats_[i] != 0;
  return true;
}

void BlockEvaluator::put_off_one_nan(double* out) {
  steps_.push_back(
      {detail::ElementOperation::one_nan, detail::ElementFollow::nothing, out, out, out, out, out});
}

void BlockEvaluator::run_steps(Index count) {
  element_loops_.run(steps_.data(), steps_.size(), static_cast<std::size_t>(count));
  steps_.clear();
}

/// The input itself where it lies as it is needed, otherwise a copy.
void BlockEvaluator::load_input(std::size_t i, Index count) {
  const std::size_t k = program_.instructions[i].left;
  const AlignedInput& input = inputs_[k];
  if (loaded_[i].offset == offsets_[k] && loaded_[i].shape == shape_) return;
  loaded_[i] = {offsets_[k], shape_};
  const std::span<const Index> strides(strides_[k].data(), counts_.size());
  if (input.array.type == ElementType::float64 && lies_densely(counts_, strides)) {
    results_[i] = reinterpret_cast<const double*>(input.array.bytes.get()) + offsets_[k];
  } else {
    load_box(input.array, offsets_[k], counts_, strides, register_of(i));
    results_[i] = register_of(i);
  }
  if (!input.missing) return;
  const double missing = as_stored(*input.missing, input.array.type);
  std::transform(results_[i], results_[i] + count, mask_of(i),
                 [&](double x) { return x == missing ? 1 : 0; });
  lacking_[i] = mask_of(i);
}

void BlockEvaluator::run(std::size_t i, Index count, double* out) {
  const Instruction& instruction = program_.instructions[i];
  const double* a = results_[instruction.left];
  const double* b = results_[instruction.right];
  results_[i] = out;
  switch (instruction.operation) {
    case Operation::power: powers(std::span(a, static_cast<std::size_t>(count)), b, out); break;
    case Operation::exponential: exponentials(std::span(a, static_cast<std::size_t>(count)), out); break;
    case Operation::logarithm: logarithms(std::span(a, static_cast<std::size_t>(count)), out); break;
    case Operation::sine: std::transform(a, a + count, out, sine); break;
    case Operation::cosine: std::transform(a, a + count, out, cosine); break;
    case Operation::modulo: std::transform(a, a + count, b, out, modulo); break;
    case Operation::keep: results_[i] = a; break;
    default: declared_function(instruction.operation)->run(a, b, static_cast<std::size_t>(count), out);
  }
}

/// A result is missing where an operand is; of select, where what it takes is, or the condition.
void BlockEvaluator::combine_masks(std::size_t i, Index count) {
  const Instruction& instruction = program_.instructions[i];
  if (instruction.operation == Operation::select) return combine_select(i, count);
  const bool is_unary = operand_count(instruction.operation) == 1;
  const Mask* a = lacking_[instruction.left];
  const Mask* b = is_unary ? nullptr : lacking_[instruction.right];
  const bool is_kept = instruction.operation == Operation::keep;
  lacking_[i] = a != nullptr ? a : b;
  if (a != nullptr && b != nullptr && a != b) {
    std::transform(a, a + count, b, mask_of(i), std::bit_or<>());
    lacking_[i] = mask_of(i);
  }
  if (!is_kept) return;
  const double* keeps = results_[instruction.right];
  const Mask* before = lacking_[i];
  for (Index k = 0; k < count; ++k) mask_of(i)[k] = keeps[k] == 0 || (before != nullptr && before[k] != 0);
  lacking_[i] = mask_of(i);
}

void BlockEvaluator::combine_select(std::size_t i, Index count) {
  const Instruction& instruction = program_.instructions[i];
  const Mask* a = lacking_[instruction.left];
  const Mask* b = lacking_[instruction.right];
  const Mask* undecided = lacking_[instruction.condition];
  lacking_[i] = nullptr;
  if (a == nullptr && b == nullptr && undecided == nullptr) return;
  const double* condition = results_[instruction.condition];
  for (Index k = 0; k < count; ++k) {
    const Mask* taken = condition[k] != 0 ? a : b;
    mask_of(i)[k] = (taken != nullptr && taken[k] != 0) || (undecided != nullptr && undecided[k] != 0);
  }
  lacking_[i] = mask_of(i);
}

}  // namespace pileus
