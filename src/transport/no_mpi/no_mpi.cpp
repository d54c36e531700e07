// The calls of transport/mpi where no MPI is: nothing is running, and a communicator is refused. What comes
// after that refusal is never called.

#include <exception>

#include "core/error.h"
#include "transport/mpi/finalize_hook.h"
#include "transport/mpi/kept_servers.h"
#include "transport/mpi/mpi_endpoint.h"
#include "transport/mpi/mpi_start.h"
#include "transport/mpi/node_endpoint.h"
#include "transport/mpi/own_mpi.h"

namespace pileus {

void require_own_mpi(int) {
  throw UsageError(
      "pileus_start: this library, libpileus_alone, knows no MPI and takes no communicator; "
      "runs with one need libpileus");
}
bool is_first_of_program() { return true; }
const char* mpi_library() { return "none"; }

MpiMeeting::MpiMeeting(int fortran_communicator, bool, double) : communicator_(fortran_communicator) {
  require_own_mpi(fortran_communicator);
}
MpiMeeting::~MpiMeeting() = default;
std::vector<std::int64_t> MpiMeeting::gathered(std::span<const std::int64_t>) const { std::terminate(); }
std::string MpiMeeting::text_of(Peer, const std::string&) const { std::terminate(); }
std::unique_ptr<MpiMeeting> MpiMeeting::among(bool) const { std::terminate(); }
std::vector<Peer> MpiMeeting::lowest_on_node() const { std::terminate(); }
MpiWorld MpiMeeting::divide(std::span<const Peer>) { std::terminate(); }

void leave_world(MpiWorld&) {}
void leave_model(MpiWorld&) {}
bool is_mpi_running() { return false; }
int world_communicator() { return 0; }
bool is_alone_in_world() { return true; }
void end_mpi() {}
bool are_threads_allowed() { return true; }

struct FinalizeHook::State {};
FinalizeHook::FinalizeHook(std::function<void()>) { require_own_mpi(0); }
FinalizeHook::~FinalizeHook() = default;

void call_kept_servers(int) {}
void keep_servers(const MpiWorld&, const std::vector<Peer>&, bool) {}
bool are_servers_kept() { return false; }
void note_left(const MpiWorld&) {}
bool is_called_again(Peer) { return false; }

std::unique_ptr<Endpoint> make_mpi_endpoint(int fortran_communicator, MpiEndpointSettings) {
  require_own_mpi(fortran_communicator);
  return nullptr;
}
std::unique_ptr<Endpoint> make_node_endpoint(int fortran_communicator, MpiEndpointSettings) {
  require_own_mpi(fortran_communicator);
  return nullptr;
}

}  // namespace pileus
