#pragma once
// Samples as bytes, on their way between servers.

#include "core/encoder.h"
#include "math/sample.h"

namespace pileus {

void encode_sample(const Sample& sample, Encoder& out);
/// Errors: TransportError when the bytes are not those of encode_sample.
Sample decode_sample(Decoder& in);

}  // namespace pileus
