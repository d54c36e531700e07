#include "transport/mpi/finalize_hook.h"

#include <utility>

#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_start.h"

namespace pileus {

struct FinalizeHook::State {
  std::function<void()> hook;
  int key = MPI_KEYVAL_INVALID;
};

namespace {

/// Attributes of MPI_COMM_SELF are deleted first of all in MPI_Finalize (MPI 3.1, section 8.7.1).
int run_hook(MPI_Comm, int, void* value, void*) {
  auto* hook = static_cast<std::function<void()>*>(value);
  if (const auto once = std::exchange(*hook, {})) once();
  return MPI_SUCCESS;
}

}  // namespace

FinalizeHook::FinalizeHook(std::function<void()> hook) : state_(std::make_unique<State>()) {
  state_->hook = std::move(hook);
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, run_hook, &state_->key, nullptr),
            "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, state_->key, &state_->hook), "MPI_Comm_set_attr");
}

FinalizeHook::~FinalizeHook() {
  if (!is_mpi_running() || !state_->hook) return;
  state_->hook = {};
  MPI_Comm_delete_attr(MPI_COMM_SELF, state_->key);
  MPI_Comm_free_keyval(&state_->key);
}

}  // namespace pileus
