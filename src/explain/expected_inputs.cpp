#include "explain/expected_inputs.h"

#include <algorithm>

#include "core/error.h"
#include "core/shortest.h"

namespace pileus::explain {
namespace {

std::string how_text(const PlannedInput& input) {
  if (input.axis.is_static()) return "once";
  std::string text = input.axis.is_linear() ? "linear in time" : "each holds until the next";
  if (input.axis.comes_round()) text += ", coming round";
  return text + ", " + std::to_string(input.ahead) + (input.ahead == 1 ? " record" : " records") + " ahead";
}

/// Those from the first step's to the last one's, and what is read ahead of these.
std::int64_t records_of(const PlannedInput& input, const Steps& steps) {
  if (input.axis.is_static()) return 1;
  const std::int64_t first = input.axis.at(steps.start_time_s).first;
  std::int64_t last = input.axis.at(steps.steps.back().time).last() + input.ahead;
  if (!input.axis.comes_round()) last = std::min(last, input.axis.last());
  return last - first + 1;
}

}  // namespace

std::vector<ExpectedInput> expected_inputs(std::span<const PlannedInput> inputs, const Steps& steps,
                                           ClientRank clients) {
  std::vector<ExpectedInput> all;
  for (const PlannedInput& input : inputs) {
    ExpectedInput& expected = all.emplace_back();
    expected.name = input.name;
    expected.source = input.header.file + ": " + input.header.variable;
    expected.how = how_text(input);
    expected.record_bytes = input.record_bytes();
    expected.held_bytes = input.record_bytes() * input.records_at_once();
    try {
      expected.records = records_of(input, steps);
      expected.messages = expected.records * static_cast<std::int64_t>(clients);
    } catch (const UsageError& error) {
      expected.problem = error.what();
    }
  }
  return all;
}

}  // namespace pileus::explain
