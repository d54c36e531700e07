#pragma once
// Encodes a frequency for messages.

#include "core/encoder.h"
#include "core/step.h"

namespace pileus {

void encode_frequency(Encoder& out, const Frequency& frequency);
/// Errors: TransportError when the bytes are not those of encode_frequency.
Frequency decode_frequency(Decoder& in);

}  // namespace pileus
