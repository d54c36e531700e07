#pragma once
// A condition of a trigger as it was in one step, from the server that has it to server 0.

#include <cstdint>

#include "core/encoder.h"
#include "core/ids.h"
#include "messaging/frames.h"

namespace pileus {

struct TriggerFrame {
  VariableId variable;
  std::int64_t period = 0, record = 0;  ///< of the record that has it
  bool holds = false;
  bool is_last = false;  ///< nothing more comes of the condition, and nothing else counts

  Bytes encode() const {
    Bytes frame;
    Encoder out(frame);
    out.put(ServerFrame::trigger);
    out.put(variable.index);
    out.put(period);
    out.put(record);
    out.put(holds);
    out.put(is_last);
    return frame;
  }
  /// Behind the kind of the frame.
  static TriggerFrame decode(Decoder& in) {
    TriggerFrame frame;
    frame.variable = VariableId(in.get<std::uint32_t>());
    frame.period = in.get<std::int64_t>();
    frame.record = in.get<std::int64_t>();
    frame.holds = in.get<std::uint8_t>() != 0;
    frame.is_last = in.get<std::uint8_t>() != 0;
    return frame;
  }
};

}  // namespace pileus
