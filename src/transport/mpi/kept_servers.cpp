#include "transport/mpi/kept_servers.h"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/log.h"
#include "transport/mpi/finalize_hook.h"
#include "transport/mpi/mpi_call.h"

namespace pileus {
namespace {

/// On MPI_COMM_WORLD: nobody else has anything to say to a rank of pileus-server there.
constexpr int kTag = 0x5e1;
enum class Word : int { end, again };

struct Kept {
  std::vector<Peer> servers;  ///< on the first model rank
  std::unique_ptr<FinalizeHook> at_end;
  bool are_any = false;                   ///< on every model rank
  int run = MPI_Comm_c2f(MPI_COMM_NULL);  ///< likewise: the world of the run that they serve
};

/// Of this process, which like MPI itself has one world.
Kept& kept() {
  static Kept kept;
  return kept;
}

void tell(const std::vector<Peer>& servers, Word word) {
  for (const Peer server : servers) {
    check_mpi(MPI_Send(&word, 1, MPI_INT, static_cast<int>(server), kTag, MPI_COMM_WORLD), "MPI_Send");
  }
}

void tell_end() {
  try {
    tell(std::exchange(kept().servers, {}), Word::end);
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

}  // namespace

void call_kept_servers(int fortran_communicator) {
  if (!is_mpi_running()) return;  // nothing of MPI may be called, and the meeting says so
  const bool are_busy = kept().run != MPI_Comm_c2f(MPI_COMM_NULL);
  if (kept().servers.empty() && !are_busy) return;
  if (MPI_Comm_f2c(fortran_communicator) == MPI_COMM_NULL) return;
  int likeness = MPI_UNEQUAL;
  check_mpi(MPI_Comm_compare(MPI_COMM_WORLD, MPI_Comm_f2c(fortran_communicator), &likeness),
            "MPI_Comm_compare");
  if (likeness != MPI_IDENT) return;
  if (are_busy) {
    throw UsageError(
        "pileus_start: the ranks of pileus-server serve another run of this model, and serve one at a time; "
        "call "
        "pileus_finish for that one first, or give this one a communicator of model ranks alone, which then "
        "serve it themselves");
  }
  kept().at_end.reset();
  tell(std::exchange(kept().servers, {}), Word::again);
}

void keep_servers(const MpiWorld& world, const std::vector<Peer>& servers, bool tells_them) {
  if (world.is_server) return;
  kept().are_any = true;
  kept().run = world.world_communicator;
  if (!tells_them) return;
  kept().servers = servers;
  kept().at_end = std::make_unique<FinalizeHook>(tell_end);
}

bool are_servers_kept() { return kept().are_any; }

void note_left(const MpiWorld& world) {
  if (world.world_communicator == kept().run) kept().run = MPI_Comm_c2f(MPI_COMM_NULL);
}

bool is_called_again(Peer first_model_rank) {
  constexpr std::chrono::milliseconds kNap{1};
  const auto first = static_cast<int>(first_model_rank);
  MPI_Request request = MPI_REQUEST_NULL;
  Word word = Word::end;
  check_mpi(MPI_Irecv(&word, 1, MPI_INT, first, kTag, MPI_COMM_WORLD, &request), "MPI_Irecv");
  for (int is_here = 0; !is_here;) {
    check_mpi(MPI_Test(&request, &is_here, MPI_STATUS_IGNORE), "MPI_Test");
    if (!is_here) std::this_thread::sleep_for(kNap);
  }
  return word == Word::again;
}

}  // namespace pileus
