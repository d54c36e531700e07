#pragma once
// Encodes frequencies and cadences for messages.

#include "core/cadence.h"
#include "core/encoder.h"
#include "core/step.h"

namespace pileus {

void encode_frequency(Encoder& out, const Frequency& frequency);
/// Errors: TransportError when the bytes are not those of encode_frequency.
Frequency decode_frequency(Decoder& in);

void encode_cadence(Encoder& out, const Cadence& cadence);
/// Errors: TransportError when the bytes are not those of encode_cadence.
Cadence decode_cadence(Decoder& in);

}  // namespace pileus
