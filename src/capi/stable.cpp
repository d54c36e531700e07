// The calls of pileus.h for arrays that the model leaves alone until its next step.

#include "capi/arguments.h"
#include "capi/boundary.h"
#include "core/error.h"
#include "pileus/pileus.h"
#include "transport/shared/model_memory.h"

namespace {

using pileus::Client;
using pileus::guard_session;
using pileus::require;
using pileus::Session;

}  // namespace

extern "C" {

pileus_status pileus_allocate(pileus_run* handle, size_t size_bytes, void** memory) {
  return guard_session(handle, "pileus_allocate", [&](Session& session) {
    require(memory, "pileus_allocate", "the place for the memory");
    *memory = nullptr;
    *memory = session.client().allocate(size_bytes);
    return PILEUS_OK;
  });
}

pileus_status pileus_deallocate(void* memory) {
  if (memory == nullptr || pileus::ModelMemory::give_back(memory)) return PILEUS_OK;
  return PILEUS_ERROR_USAGE;
}

pileus_status pileus_put_stable(pileus_run* handle, int field, const void* first,
                                const int64_t* byte_strides) {
  return guard_session(handle, "pileus_put_stable", [&](Session& session) {
    session.client().put(field, first, byte_strides, Client::Lasting::until_next_step);
    return PILEUS_OK;
  });
}

pileus_status pileus_put_array_stable(pileus_run* handle, int field, int type, int rank, const int64_t* count,
                                      const void* first, const int64_t* byte_strides) {
  constexpr const char* kCall = "pileus_put_array_stable";
  return guard_session(handle, kCall, [&](Session& session) {
    session.client().put(field, pileus::array_of(kCall, type, rank, count, first, byte_strides),
                         Client::Lasting::until_next_step);
    return PILEUS_OK;
  });
}

}  // extern "C"
