#include "config/read_input.h"

#include "config/messages.h"

namespace pileus {
namespace {

/// A rank holds two records more.
constexpr std::int64_t kMostAhead = 1000;

}  // namespace

InputConfig read_input(const ElementReader& element) {
  InputConfig input;
  input.name = element.text("name");
  input.file = element.text("file");
  input.field = element.text("field");
  input.interpolate = element.text("interpolate");
  input.cycle_text = element.text("cycle");
  if (const auto cycle = element.duration("cycle")) input.cycle = *cycle;
  if (const auto ahead = element.integer("ahead", 0)) input.ahead = *ahead;
  input.missing = element.text("missing");
  input.weights = element.text("weights");
  input.where = element.where();
  if (input.ahead > kMostAhead) {
    element.error(element.text("ahead").where, element.label() +
                                                   " has ahead=" + in_quotes(element.text("ahead").value) +
                                                   ": at most " + std::to_string(kMostAhead));
    input.ahead = kMostAhead;
  }
  if (input.cycle.from_month > 0) {
    element.error(input.cycle_text.where, element.label() +
                                              " has cycle=" + in_quotes(input.cycle_text.value) +
                                              ": the file says when a cycle begins; leave out the month");
  }
  return input;
}

}  // namespace pileus
