#include "inputs/input_service.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/error_text.h"

namespace pileus {
namespace {

/// A task reads no more than this at a time, lest files that are written wait for it.
constexpr std::size_t kMostAtOnce = 64, kMostBytesAtOnce = std::size_t{16} << 20;
/// A rank cannot ask for more at a time: what it needs, and what is read ahead.
constexpr std::int64_t kMostAsked = 1002;

/// Where a value stands in the file, for people: "[3, 0]", slowest first as ncdump counts.
std::string place_text(const Region& part, std::size_t i) {
  std::string text;
  for (int d = 0; d < part.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    const Index index = part.start[at] + static_cast<Index>(i) % part.count[at];
    i /= static_cast<std::size_t>(part.count[at]);
    text = std::to_string(index) + (text.empty() ? "" : ", ") + text;
  }
  return "[" + text + "]";
}

bool is_whole(ElementType type) { return type == ElementType::int32 || type == ElementType::int64; }

/// Errors: UsageError where the model's type does not have the number.
void require_whole(const ServedInput& input, const std::string& what, std::span<const double> values) {
  const bool is_long = input.input.type == ElementType::int64;
  const double most = is_long ? 9007199254740992.0 : 2147483647.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == std::floor(values[i]) &&
        (is_long ? std::fabs(values[i]) < most : std::fabs(values[i]) <= most))
      continue;
    throw UsageError(what + " is " + std::to_string(values[i]) + " at " + place_text(input.part, i) +
                     ", and the model takes whole numbers");
  }
}

}  // namespace

std::size_t ServedInput::record_bytes() const {
  return static_cast<std::size_t>(input.region.size()) * size_bytes(brought.wire_type);
}

InputService::InputService(Inputs inputs, OpenInput open, Executor& library, Outside outside)
    : inputs_(std::move(inputs)), open_(std::move(open)), library_(library), outside_(std::move(outside)) {}

void InputService::take_wanted(ClientRank client, const WantedRecords& wanted) {
  const auto known = inputs_.find(client);
  const bool is_known =
      known != inputs_.end() && wanted.input < known->second.size() && known->second[wanted.input] != nullptr;
  if (!is_known || wanted.count <= 0 || wanted.count > kMostAsked)
    throw TransportError("model rank " + std::to_string(client) + " asks for records that it cannot ask for");
  const std::shared_ptr<const ServedInput>& input = known->second[wanted.input];
  const InputAxis& axis = input->brought.axis;
  if (!axis.comes_round() && (wanted.first < 0 || wanted.first + wanted.count > axis.size()))
    throw TransportError("model rank " + std::to_string(client) + " asks for records of " +
                         input->brought.source + " that there are not");
  if (is_stopped_ || has_finished_[client]) return;
  for (std::int64_t i = 0; i < wanted.count; ++i)
    queue_.push_back({client, wanted.input, input, wanted.first + i});
}

void InputService::finish_client(ClientRank client) {
  has_finished_[client] = true;
  std::erase_if(queue_, [client](const Wanted& one) { return one.client == client; });
}

void InputService::stop() {
  is_stopped_ = true;
  queue_.clear();
}

bool InputService::poll() {
  std::deque<std::pair<ClientRank, Bytes>> frames;
  std::string failure;
  bool is_running = false;
  {
    const std::lock_guard lock(ready_.mutex);
    frames.swap(ready_.frames);
    failure = std::exchange(ready_.failure, "");
    is_running = ready_.is_running;
  }
  bool has_sent = false;
  for (const auto& [client, frame] : frames) {
    if (is_stopped_ || has_finished_[client]) continue;
    outside_.send(client, frame);
    ++sent_.records;
    sent_.bytes += static_cast<std::int64_t>(frame.size());
    has_sent = true;
  }
  if (!failure.empty() && !is_stopped_) {
    stop();
    outside_.fail(failure);
  }
  if (!is_running && !queue_.empty()) begin_task();
  return has_sent || !failure.empty();
}

bool InputService::is_idle() const {
  const std::lock_guard lock(ready_.mutex);
  return queue_.empty() && ready_.frames.empty() && ready_.failure.empty() && !ready_.is_running;
}

BroughtInputs InputService::brought(ClientRank client) const {
  BroughtInputs brought;
  for (const std::shared_ptr<const ServedInput>& one : inputs_.at(client)) {
    brought.emplace_back();
    if (one != nullptr) brought.back() = one->brought;
  }
  return brought;
}

std::uint64_t InputService::most_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [client, inputs] : inputs_) {
    for (const std::shared_ptr<const ServedInput>& one : inputs) {
      if (one == nullptr) continue;
      const bool is_static = one->brought.axis.is_static();
      const auto records = static_cast<std::uint64_t>(is_static ? 1 : one->brought.ahead + 2);
      bytes += records * one->record_bytes() + (one->links ? one->links->size_bytes() : 0);
    }
  }
  return bytes;
}

std::string InputService::wait_text() const { return is_idle() ? "" : reading_; }

void InputService::begin_task() {
  auto batch = std::make_shared<std::vector<Wanted>>();
  std::size_t bytes = 0;
  while (!queue_.empty() && batch->size() < kMostAtOnce && bytes < kMostBytesAtOnce) {
    bytes += queue_.front().input->record_bytes();
    batch->push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  reading_ = "records of " + batch->front().input->brought.source + " for model rank " +
             std::to_string(batch->front().client) + " are being read";
  {
    const std::lock_guard lock(ready_.mutex);
    ready_.is_running = true;
  }
  // Whatever happens, the lane learns that the task is over.
  struct Running {
    explicit Running(Ready& of) : ready(of) {}
    ~Running() {
      const std::lock_guard lock(ready.mutex);
      ready.is_running = false;
    }
    Ready& ready;
  };
  const auto work = [this, batch] {
    const Running running(ready_);
    try {
      for (const Wanted& wanted : *batch) {
        Bytes frame = read(wanted);
        const std::lock_guard lock(ready_.mutex);
        ready_.frames.emplace_back(wanted.client, std::move(frame));
      }
    } catch (...) {
      const std::string text = text_of_current_exception();
      const std::lock_guard lock(ready_.mutex);
      ready_.failure = "an input cannot be read: " + text;
    }
  };
  try {
    library_.submit(work);
  } catch (...) {
    const Running over(ready_);
    throw;
  }
}

Bytes InputService::read(const Wanted& wanted) {
  const ServedInput& input = *wanted.input;
  std::unique_ptr<InputSource>& source = sources_[input.header.file];
  if (source == nullptr) source = open_(input.header.file);
  const Index record = input.brought.axis.in_file(wanted.record);
  std::vector<double> values(static_cast<std::size_t>(input.part.size()));
  source->read(input.header, record, input.part, values);
  const std::string what = input.header.file + ": variable \"" + input.header.variable + "\"" +
                           (input.header.has_time ? " of record " + std::to_string(record) : "");
  if (input.factor != 1 || input.offset != 0) {
    for (double& value : values) value = value * input.factor + input.offset;
  }
  if (input.links) values = regridded(*input.links, values, input.layers);
  const Region& part = input.links ? input.input.region : input.part;
  const auto missing = std::ranges::find_if(values, [](double value) { return std::isnan(value); });
  if (missing != values.end() && !input.may_lack)
    throw UsageError(
        what + " has no value at " + (input.links ? "the model's point " : "") +
        place_text(part, static_cast<std::size_t>(missing - values.begin())) +
        ", counted from 0, slowest first; fill it in, or say missing=\"nan\" if the model takes NaN");
  if (is_whole(input.input.type)) require_whole(input, what, values);
  Bytes frame;
  frame.reserve(32 + input.record_bytes());
  Encoder out(frame);
  out.put(outside_.frame_kind);
  RecordHead{wanted.number, wanted.record}.encode(out);
  if (input.brought.wire_type == ElementType::float64) {
    out.put_raw(std::as_bytes(std::span(values)));
  } else {
    for (const double value : values) out.put(static_cast<float>(value));
  }
  return frame;
}

}  // namespace pileus
