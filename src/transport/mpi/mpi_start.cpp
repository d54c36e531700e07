#include "transport/mpi/mpi_start.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "core/error.h"
#include "core/log.h"
#include "transport/mpi/mpi_call.h"

namespace pileus {
namespace {

/// What `mine` is on every rank, by rank. Collective.
std::vector<int> gathered(int mine, MPI_Comm communicator) {
  int size = 0;
  check_mpi(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  std::vector<int> all(size);
  check_mpi(MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, communicator), "MPI_Allgather");
  return all;
}

/// Until every rank of the communicator has come here. A server may wait long for a model that reads its
/// input first, so it naps, and says what it waits for.
void meet(MPI_Comm communicator, bool is_server) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(communicator, &request), "MPI_Ibarrier");
  constexpr std::chrono::milliseconds kNap{1};
  constexpr std::chrono::seconds kPatience{30};
  const auto began = std::chrono::steady_clock::now();
  bool has_spoken = !is_server;
  for (int is_done = 0; !is_done;) {
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done) return;
    std::this_thread::sleep_for(kNap);
    if (!has_spoken && std::chrono::steady_clock::now() - began > kPatience) {
      has_spoken = true;
      log::warning(
          "this server waits for every rank of the job to call pileus_start; does each model rank call it?");
    }
  }
}

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  return rank;
}

void free_communicator(int& fortran_communicator) {
  MPI_Comm communicator = MPI_Comm_f2c(fortran_communicator);
  if (communicator != MPI_COMM_NULL) check_mpi(MPI_Comm_free(&communicator), "MPI_Comm_free");
  fortran_communicator = MPI_Comm_c2f(MPI_COMM_NULL);
}

}  // namespace

MpiWorld join_world(int fortran_communicator, bool is_server) {
  const bool is_usable = is_mpi_running() && MPI_Comm_f2c(fortran_communicator) != MPI_COMM_NULL;
  if (is_usable)
    meet(MPI_Comm_f2c(fortran_communicator), is_server);  // otherwise the next line says what is wrong
  MPI_Comm world = duplicate_communicator(fortran_communicator);
  const std::vector<int> serves = gathered(is_server ? 1 : 0, world);

  MpiWorld joined;
  joined.is_server = is_server;
  joined.world_rank = static_cast<Peer>(rank_in(world));
  joined.world_size = static_cast<Peer>(serves.size());
  for (Peer rank = 0; rank < joined.world_size; ++rank) {
    std::vector<Peer>& group = serves[rank] ? joined.servers : joined.clients;
    if (rank == joined.world_rank) joined.index = static_cast<std::uint32_t>(group.size());
    group.push_back(rank);
  }
  if (joined.clients.empty()) {
    MPI_Comm_free(&world);
    throw UsageError(
        "all " + std::to_string(joined.world_size) +
        " ranks are servers and none is a model rank; start the model and the servers in one job, as in "
        "mpirun -n 24 ./model : -n 2 pileus-server run.xml");
  }
  MPI_Comm model = MPI_COMM_NULL;
  const int colour = is_server ? MPI_UNDEFINED : 0;
  check_mpi(MPI_Comm_split(world, colour, static_cast<int>(joined.world_rank), &model), "MPI_Comm_split");
  // Errors of the model's own calls are the model's affair, as they are on its other communicators.
  if (model != MPI_COMM_NULL)
    check_mpi(MPI_Comm_set_errhandler(model, MPI_ERRORS_ARE_FATAL), "MPI_Comm_set_errhandler");
  joined.model_communicator = MPI_Comm_c2f(model);
  joined.world_communicator = MPI_Comm_c2f(world);
  return joined;
}

void leave_world(MpiWorld& world) {
  if (!is_mpi_running()) return;
  free_communicator(world.model_communicator);
  free_communicator(world.world_communicator);
}

std::vector<Peer> lowest_rank_on_node(int fortran_communicator) {
  MPI_Comm world = duplicate_communicator(fortran_communicator);
  const int rank = rank_in(world);
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  int lowest = rank;
  check_mpi(MPI_Bcast(&lowest, 1, MPI_INT, 0, node), "MPI_Bcast");
  const std::vector<int> all = gathered(lowest, world);
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  check_mpi(MPI_Comm_free(&world), "MPI_Comm_free");
  return {all.begin(), all.end()};
}

bool is_mpi_running() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  return is_initialized && !is_finalized;
}

MpiProgram::MpiProgram(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  is_funneled_ = provided >= MPI_THREAD_FUNNELED;
}

MpiProgram::~MpiProgram() {
  if (is_mpi_running()) MPI_Finalize();
}

void MpiProgram::abort(int status) const {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

int MpiProgram::world() const { return MPI_Comm_c2f(MPI_COMM_WORLD); }

}  // namespace pileus
