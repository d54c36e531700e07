#include "report/event.h"

#include "core/error.h"
#include "messaging/frames.h"

namespace pileus {
namespace {

constexpr std::uint32_t kNoFile = UINT32_MAX;

}  // namespace

Bytes encode(const Event& event) {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::event);
  out.put(event.kind);
  out.put(event.file.is_valid() ? static_cast<std::uint32_t>(event.file.index) : kNoFile);
  for (std::int64_t number : {event.period, event.records, event.dropped, event.last_step, event.bytes})
    out.put(number);
  for (double time : {event.first_record_s, event.last_record_s, event.complete_through_s, event.lasted_s})
    out.put(time);
  for (const std::string* text : {&event.path, &event.publication, &event.text}) out.put(*text);
  out.put(event.server);
  return frame;
}

Event decode_event(Decoder& in, const Plan& plan) {
  Event event;
  event.kind = in.get<Event::Kind>();
  if (event.kind > Event::Kind::controlled) throw TransportError("an event is of an unknown kind");
  const auto file = in.get<std::uint32_t>();
  if (file != kNoFile) event.file = FileId(file);
  const bool may_have_file = event.kind == Event::Kind::hook_failed && file != kNoFile;
  const bool has_file = event.kind <= Event::Kind::skipped || may_have_file ||
                        event.kind == Event::Kind::disk_full || event.kind == Event::Kind::disk_has_space ||
                        event.kind == Event::Kind::late || event.kind == Event::Kind::dropped;
  if (has_file ? file >= plan.files.size() : file != kNoFile)
    throw TransportError("an event is about a file that the plan does not know");
  for (std::int64_t* number : {&event.period, &event.records, &event.dropped, &event.last_step, &event.bytes})
    *number = in.get<std::int64_t>();
  if (event.records < 0 || event.dropped < 0 || event.bytes < 0)
    throw TransportError("an event is about a negative number of records or bytes");
  for (double* time :
       {&event.first_record_s, &event.last_record_s, &event.complete_through_s, &event.lasted_s})
    *time = in.get<double>();
  for (std::string* text : {&event.path, &event.publication, &event.text}) *text = in.get_text();
  event.server = in.get<std::uint32_t>();
  if (event.server >= plan.layout.servers) throw TransportError("an event is of an unknown server");
  return event;
}

}  // namespace pileus
