#pragma once
// What a model rank and its server say to each other of arrays that the rank lends, encoded. The loans
// themselves lie in parcels.

#include <cstdint>

#include "client/frames.h"
#include "core/encoder.h"
#include "transport/shared/shared_memory.h"
#include "transport/shared/single_copy.h"

namespace pileus {

inline void encode(const CopyProbe& probe, Encoder& out) {
  out.put(probe.process);
  out.put(probe.place);
  out.put(probe.word);
}
inline CopyProbe decode_probe(Decoder& in) {
  CopyProbe probe;
  probe.process = in.get<std::int64_t>();
  probe.place = in.get<std::uint64_t>();
  probe.word = in.get<std::uint64_t>();
  return probe;
}

/// Asks whether the server can read arrays in that memory, or, without one, wherever they lie in the process.
struct LoanQuestion {
  CopyProbe probe;
  MemoryAddress memory = {};  ///< its token is 0: none

  Bytes encode() const {
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::loan_question);
    pileus::encode(probe, out);
    out.put(memory.process);
    out.put(memory.descriptor);
    out.put(memory.size_bytes);
    out.put(memory.token);
    return frame;
  }
  /// What follows the kind.
  static LoanQuestion decode(Decoder& in) {
    LoanQuestion question;
    question.probe = decode_probe(in);
    question.memory.process = in.get<std::int64_t>();
    question.memory.descriptor = in.get<std::int32_t>();
    question.memory.size_bytes = in.get<std::uint64_t>();
    question.memory.token = in.get<std::uint64_t>();
    return question;
  }
};

struct LoanAnswer {
  std::uint64_t memory = 0;  ///< the token of the question
  bool is_readable = false;
  CopyProbe server = {};  ///< by which the rank sees whether its server is still there

  Bytes encode() const {
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::loan_answer);
    out.put(memory);
    out.put(is_readable);
    pileus::encode(server, out);
    return frame;
  }
  static LoanAnswer decode(Decoder& in) {
    LoanAnswer answer;
    answer.memory = in.get<std::uint64_t>();
    answer.is_readable = in.get<bool>();
    answer.server = decode_probe(in);
    return answer;
  }
};

/// No array will be lent in that memory any more.
struct LoanEnd {
  std::uint64_t memory = 0;

  Bytes encode() const {
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::loan_end);
    out.put(memory);
    return frame;
  }
  static LoanEnd decode(Decoder& in) { return {in.get<std::uint64_t>()}; }
};

}  // namespace pileus
