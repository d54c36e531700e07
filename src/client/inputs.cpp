// What a model rank gets from files: it registers inputs, asks its server for their records ahead of need,
// and makes values of those that it holds.

#include <algorithm>
#include <limits>
#include <utility>

#include "client/client.h"
#include "client/registered_names.h"
#include "client/stopwatch.h"
#include "core/encoder.h"
#include "core/error.h"
#include "core/shortest.h"

namespace pileus {
namespace {

using registering::names_of;
using registering::quoted;

/// Errors: UsageError for a part that does not lie in the dimensions.
void give_sizes(ModelInput& input, const RankDescription& description) {
  const std::string what = "pileus_input: input " + quoted(input.name);
  const std::size_t rank = input.region.count.size();
  if (input.region.start.empty()) input.region.start.assign(rank, 0);
  if (input.region.start.size() != rank || (!input.dimensions.empty() && input.dimensions.size() != rank))
    throw UsageError(what + " has " + std::to_string(input.dimensions.size()) + " dimensions, " +
                     std::to_string(input.region.start.size()) + " starts and " + std::to_string(rank) +
                     " counts; give as many of each");
  Index left = std::numeric_limits<Index>::max() / 8;
  const bool is_nameless = input.dimensions.empty();
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string where = what + ": dimension " + std::to_string(d + 1);
    const Index count = input.region.count[d];
    if (count < 0 || count > left)
      throw UsageError(where + " has a count of " + std::to_string(count) +
                       "; it must not be negative, nor more than can be counted");
    if (count > 0) left /= count;
    Index size = count;
    if (is_nameless) {
      input.dimensions.push_back("dimension " + std::to_string(d + 1));
    } else {
      size = registering::require_registered(where + " (" + quoted(input.dimensions[d]) + ")",
                                             input.dimensions[d], description, {})
                 .size;
    }
    if (!input.region.along(d).is_within(size))
      throw UsageError(where + ": the part from " + std::to_string(input.region.start[d]) + " with " +
                       std::to_string(count) + " values does not lie in a dimension of size " +
                       std::to_string(size));
    input.sizes.push_back(size);
  }
}

}  // namespace

int Client::input(ModelInput input) {
  require_order(Call::input, state_);
  const std::string what = "pileus_input: input " + quoted(input.name);
  if (input.name.empty()) throw UsageError("pileus_input: the name is empty; give the input a name");
  if (!is_number(input.type)) throw UsageError(what + " is of texts; inputs are of numbers");
  if (registering::find(inputs_, input.name) != nullptr)
    throw UsageError(what + " is registered already; register it once");
  give_sizes(input, registration_.description());
  inputs_.push_back(std::move(input));
  return static_cast<int>(inputs_.size()) - 1;
}

void Client::send_inputs() {
  if (inputs_.empty()) return;
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::inputs);
  encode_inputs(inputs_, out);
  link_.send_bytes(frame);
}

/// Values that do not change are asked for at once, so that they come while the model sets itself up.
void Client::take_brought(BroughtInputs brought) {
  if (brought.size() != inputs_.size())
    throw TransportError("the server answers to other inputs than this rank has registered");
  for (std::size_t i = 0; i < brought.size(); ++i) {
    std::optional<HeldRecords>& records = records_.emplace_back();
    if (!brought[i]) continue;
    records.emplace(inputs_[i], *std::move(brought[i]));
    want(records->first_wanted(static_cast<std::uint32_t>(i)));
  }
}

void Client::want(const std::optional<WantedRecords>& wanted) {
  if (!wanted) return;
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::records_wanted);
  wanted->encode(out);
  link_.send_bytes(frame);
}

void Client::take_input_records() {
  for (const Bytes& frame : link_.take_input_records()) {
    Decoder in(frame);
    const RecordHead head = RecordHead::decode(in);
    if (head.input >= records_.size() || !records_[head.input])
      throw TransportError("the server sent a record of an input that this rank does not have");
    records_[head.input]->take(head.record, in.rest());
  }
}

const std::optional<HeldRecords>& Client::require_input(Call call, int input) const {
  const auto count = static_cast<int>(inputs_.size());
  if (input >= 0 && input < count) return records_[static_cast<std::size_t>(input)];
  throw UsageError(std::string(c_name(call)) + ": there is no input " + std::to_string(input) +
                   "; pileus_input gave " +
                   (count == 0 ? "no number" : "the numbers 0 to " + std::to_string(count - 1)));
}

bool Client::is_brought(int input) const {
  require_order(Call::is_brought, state_);
  return require_input(Call::is_brought, input).has_value();
}

void Client::require_input_kind(int input, ElementType type, std::span<const Index> counts) const {
  require_order(Call::get, state_);
  require_input(Call::get, input);
  const ModelInput& registered = inputs_[static_cast<std::size_t>(input)];
  const Extents& own = registered.region.count;
  if (type == registered.type && std::ranges::equal(counts, own)) return;
  throw UsageError("pileus_get: input " + quoted(registered.name) + " was registered as " +
                   kind_text(registered.type, {own.data(), own.size()}) + ", and the array is " +
                   kind_text(type, counts));
}

void Client::get(int input, double time_s, std::byte* first, const Index* byte_strides) {
  require_order(Call::get, state_);
  if (!require_input(Call::get, input))
    throw UsageError(
        "pileus_get: the configuration brings no input " +
        quoted(inputs_[static_cast<std::size_t>(input)].name) +
        ", as pileus_is_brought tells; name it in <data-reading>, or keep the model's own values");
  HeldRecords& records = *records_[static_cast<std::size_t>(input)];
  const ModelInput& registered = records.input();
  if (first == nullptr && registered.region.size() > 0)
    throw UsageError("pileus_get: the array is NULL; pass the place of its first element");
  const Stopwatch watch(in_others_);
  InputBracket bracket;
  try {
    bracket = records.at(time_s);
  } catch (const UsageError& error) {
    throw UsageError("pileus_get: input " + quoted(registered.name) + " (" + records.brought().source +
                     "): " + error.what());
  }
  want(records.advance(static_cast<std::uint32_t>(input), bracket));
  link_.progress();
  take_input_records();
  link_.require_not_stopping();
  if (!records.has(bracket)) {
    link_.wait_for_input(
        [&] {
          take_input_records();
          return records.has(bracket);
        },
        [&] {
          return "input \"" + registered.name + "\" at " + shortest(time_s) + " s (" +
                 records.brought().source + ")";
        });
  }
  const std::span<const Index> strides(byte_strides,
                                       byte_strides == nullptr ? 0 : registered.region.count.size());
  records.write(bracket, first, strides);
  records.end(time_s);
}

}  // namespace pileus
