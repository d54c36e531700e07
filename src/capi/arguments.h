#pragma once
// What C hands to pileus.h, checked and turned into our types. Used by the files that implement it alone.
// Errors: UsageError with the call and what is wrong.

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "capi/session.h"
#include "client/registration.h"
#include "client/strided_copy.h"
#include "pileus/pileus.h"

namespace pileus {

/// `what` is what the call names: "the name".
void require(const void* pointer, const char* call, const char* what);

/// Of PILEUS_DOUBLE and the others.
ElementType element_type(const char* call, int type);

void require_rank(const char* call, int rank);

/// `byte_strides` may be NULL, `count` where the rank is 0.
StridedArray array_of(const char* call, int type, int rank, const int64_t* count, const void* first,
                      const int64_t* byte_strides);

/// The settings of a caller whose header may be older or newer than ours. A mistake in them is told to the
/// other ranks when this one ends, as nothing is known of who waits for it.
SessionSettings understood_session(const pileus_settings* given, bool can_serve);

/// `dimensions` and `start` may be NULL, `count` where the rank is 0.
ModelField model_field(const char* call, const char* name, int type, int rank, const char* const* dimensions,
                       const int64_t* start, const int64_t* count);

/// The first texts of all lists, then the second ones, and so on; `count` of each list.
std::vector<std::string_view> texts(const char* call, int64_t count,
                                    std::initializer_list<const char* const*> lists);

}  // namespace pileus
