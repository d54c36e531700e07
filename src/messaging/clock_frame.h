#pragma once
// The run's clock between servers: rank 0's steps, and their end, down a tree to every server (architecture
// D13).

#include "core/encoder.h"
#include "core/step.h"
#include "dropped/dropped_axes.h"
#include "messaging/frames.h"

namespace pileus {

struct ClockTick {
  bool is_end = false;
  Step step;  ///< the index only, where the clock ends: the last step, -1 if there was none
  double start_time_s = 0;
  DroppedAxes dropped = {};  ///< from server 0: time axes that get no record of the step

  Bytes encode() const {
    Bytes frame;
    Encoder out(frame);
    out.put(ServerFrame::clock);
    out.put(is_end);
    out.put(step.index);
    out.put(step.time);
    out.put(step.length);
    out.put(step.is_final);
    out.put(step.is_checkpoint);
    out.put(step.is_first);
    out.put(step.is_closing);
    out.put(start_time_s);
    dropped.encode(out);
    return frame;
  }
  static ClockTick decode(Decoder& in) {
    ClockTick tick;
    tick.is_end = in.get<std::uint8_t>() != 0;
    tick.step.index = in.get<std::int64_t>();
    tick.step.time = in.get<double>();
    tick.step.length = in.get<double>();
    tick.step.is_final = in.get<std::uint8_t>() != 0;
    tick.step.is_checkpoint = in.get<std::uint8_t>() != 0;
    tick.step.is_first = in.get<std::uint8_t>() != 0;
    tick.step.is_closing = in.get<std::uint8_t>() != 0;
    tick.start_time_s = in.get<double>();
    tick.dropped = DroppedAxes::decode(in);
    return tick;
  }
};

}  // namespace pileus
