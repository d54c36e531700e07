// The calls of pileus.h for what servers read for the model.

#include <algorithm>

#include "capi/arguments.h"
#include "capi/boundary.h"
#include "core/error.h"
#include "pileus/pileus.h"

namespace {

using pileus::guard_session;
using pileus::require;
using pileus::Session;

}  // namespace

extern "C" {

pileus_status pileus_input(pileus_run* handle, const char* name, int type, int rank,
                           const char* const* dimensions, const int64_t* start, const int64_t* count,
                           const char* units, int* input) {
  constexpr const char* kCall = "pileus_input";
  return guard_session(handle, kCall, [&](Session& session) {
    require(input, kCall, "the place for the input's number");
    pileus::ModelField field = pileus::model_field(kCall, name, type, rank, dimensions, start, count);
    pileus::ModelInput wanted;
    wanted.name = std::move(field.name);
    wanted.type = field.type;
    wanted.dimensions = std::move(field.dimensions);
    wanted.region = field.region;
    wanted.units = units != nullptr ? units : "";
    *input = session.client().input(std::move(wanted));
    return PILEUS_OK;
  });
}

pileus_status pileus_is_brought(pileus_run* handle, int input, int* is_brought) {
  return guard_session(handle, "pileus_is_brought", [&](Session& session) {
    require(is_brought, "pileus_is_brought", "the place for the answer");
    *is_brought = session.client().is_brought(input) ? 1 : 0;
    return PILEUS_OK;
  });
}

pileus_status pileus_get(pileus_run* handle, int input, double time_s, void* first,
                         const int64_t* byte_strides) {
  return guard_session(handle, "pileus_get", [&](Session& session) {
    session.client().get(input, time_s, static_cast<std::byte*>(first), byte_strides);
    return PILEUS_OK;
  });
}

pileus_status pileus_get_array(pileus_run* handle, int input, double time_s, int type, int rank,
                               const int64_t* count, void* first, const int64_t* byte_strides) {
  constexpr const char* kCall = "pileus_get_array";
  return guard_session(handle, kCall, [&](Session& session) {
    const pileus::StridedArray array = pileus::array_of(kCall, type, rank, count, first, byte_strides);
    session.client().require_input_kind(input, array.type, array.counts);
    session.client().get(input, time_s, static_cast<std::byte*>(first), byte_strides);
    return PILEUS_OK;
  });
}

}  // extern "C"
