#include "transport/mpi/mpi_start.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "transport/mpi/kept_servers.h"
#include "transport/mpi/mpi_call.h"

namespace pileus {
namespace {

/// Until every rank of the communicator has come here. A server may wait long for a model that reads its
/// input first, so it naps, and says what it waits for.
void meet(MPI_Comm communicator, bool says_what_it_waits_for, double longest_wait_s) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(communicator, &request), "MPI_Ibarrier");
  constexpr std::chrono::milliseconds kNap{1};
  constexpr std::chrono::seconds kPatience{30};
  const auto began = std::chrono::steady_clock::now();
  bool has_spoken = !says_what_it_waits_for;
  const auto waited = [began] { return std::chrono::steady_clock::now() - began; };
  for (int is_done = 0; !is_done;) {
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done) return;
    std::this_thread::sleep_for(kNap);
    if (std::chrono::duration<double>(waited()).count() > longest_wait_s)
      throw TransportError("the other ranks of the job did not come");
    if (!has_spoken && waited() > kPatience) {
      has_spoken = true;
      log::warning(
          "this server waits until every model rank of the job is in pileus_start with MPI_COMM_WORLD as its "
          "communicator; has a rank not called it, called it without a communicator or with another one, or "
          "does it still read its input?");
    }
  }
}

/// Fortran handle of a duplicate, once all ranks have come.
int duplicate_of_all(int fortran_communicator, bool says_what_it_waits_for, double longest_wait_s) {
  const bool is_usable = is_mpi_running() && MPI_Comm_f2c(fortran_communicator) != MPI_COMM_NULL;
  // Otherwise the next line says what is wrong.
  if (is_usable) meet(MPI_Comm_f2c(fortran_communicator), says_what_it_waits_for, longest_wait_s);
  return MPI_Comm_c2f(duplicate_communicator(fortran_communicator));
}

void free_communicator(int& fortran_communicator) {
  MPI_Comm communicator = MPI_Comm_f2c(fortran_communicator);
  if (communicator != MPI_COMM_NULL) check_mpi(MPI_Comm_free(&communicator), "MPI_Comm_free");
  fortran_communicator = MPI_Comm_c2f(MPI_COMM_NULL);
}

}  // namespace

MpiMeeting::MpiMeeting(int fortran_communicator, bool says_what_it_waits_for, double longest_wait_s)
    : MpiMeeting(duplicate_of_all(fortran_communicator, says_what_it_waits_for, longest_wait_s)) {}

MpiMeeting::MpiMeeting(int own_communicator) : communicator_(own_communicator) {
  const MPI_Comm communicator = MPI_Comm_f2c(communicator_);
  int rank = 0, size = 0;
  check_mpi(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  rank_ = static_cast<Peer>(rank);
  size_ = static_cast<Peer>(size);
}

MpiMeeting::~MpiMeeting() {
  MPI_Comm communicator = MPI_Comm_f2c(communicator_);
  if (communicator != MPI_COMM_NULL) MPI_Comm_free(&communicator);
}

std::vector<std::int64_t> MpiMeeting::gathered(std::span<const std::int64_t> mine) const {
  std::vector<std::int64_t> all(mine.size() * size_);
  const int count = static_cast<int>(mine.size());
  check_mpi(MPI_Allgather(mine.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T,
                          MPI_Comm_f2c(communicator_)),
            "MPI_Allgather");
  return all;
}

std::string MpiMeeting::text_of(Peer from, const std::string& text) const {
  const MPI_Comm communicator = MPI_Comm_f2c(communicator_);
  const int root = static_cast<int>(from);
  auto size = static_cast<int>(text.size());
  check_mpi(MPI_Bcast(&size, 1, MPI_INT, root, communicator), "MPI_Bcast");
  std::string out = from == rank_ ? text : std::string(static_cast<std::size_t>(size), ' ');
  check_mpi(MPI_Bcast(out.data(), size, MPI_CHAR, root, communicator), "MPI_Bcast");
  return out;
}

std::unique_ptr<MpiMeeting> MpiMeeting::among(bool takes_part) const {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(MPI_Comm_f2c(communicator_), takes_part ? 0 : MPI_UNDEFINED,
                           static_cast<int>(rank_), &part),
            "MPI_Comm_split");
  if (part == MPI_COMM_NULL) return nullptr;
  check_mpi(MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return std::unique_ptr<MpiMeeting>(new MpiMeeting(MPI_Comm_c2f(part)));
}

std::vector<Peer> MpiMeeting::lowest_on_node() const {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_Comm_f2c(communicator_), MPI_COMM_TYPE_SHARED, static_cast<int>(rank_),
                                MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  auto lowest = static_cast<std::int64_t>(rank_);
  check_mpi(MPI_Bcast(&lowest, 1, MPI_INT64_T, 0, node), "MPI_Bcast");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  const std::vector<std::int64_t> all = gathered(std::span(&lowest, 1));
  return {all.begin(), all.end()};
}

MpiWorld MpiMeeting::divide(std::span<const Peer> servers) {
  const MPI_Comm world = MPI_Comm_f2c(communicator_);
  MpiWorld divided;
  divided.world_rank = rank_;
  divided.world_size = size_;
  divided.servers.assign(servers.begin(), servers.end());
  std::vector<bool> serves(size_);
  for (const Peer server : servers) serves[server] = true;
  for (Peer rank = 0; rank < size_; ++rank) {
    if (!serves[rank]) divided.clients.push_back(rank);
  }
  divided.is_server = serves[rank_];
  const std::vector<Peer>& group = divided.is_server ? divided.servers : divided.clients;
  divided.index = static_cast<std::uint32_t>(std::ranges::find(group, rank_) - group.begin());
  MPI_Comm model = MPI_COMM_NULL;
  const int colour = divided.is_server ? MPI_UNDEFINED : 0;
  check_mpi(MPI_Comm_split(world, colour, static_cast<int>(rank_), &model), "MPI_Comm_split");
  // Errors of the model's own calls are the model's affair, as they are on its other communicators.
  if (model != MPI_COMM_NULL)
    check_mpi(MPI_Comm_set_errhandler(model, MPI_ERRORS_ARE_FATAL), "MPI_Comm_set_errhandler");
  divided.model_communicator = MPI_Comm_c2f(model);
  divided.world_communicator = std::exchange(communicator_, MPI_Comm_c2f(MPI_COMM_NULL));
  return divided;
}

void leave_world(MpiWorld& world) {
  if (!is_mpi_running()) return;
  note_left(world);
  free_communicator(world.world_communicator);
}

void leave_model(MpiWorld& world) {
  if (is_mpi_running()) free_communicator(world.model_communicator);
}

bool is_mpi_running() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  return is_initialized && !is_finalized;
}

bool are_threads_allowed() {
  int level = MPI_THREAD_SINGLE;
  int is_main = 0;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  check_mpi(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
  return level >= (is_main ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED);
}

MpiProgram::MpiProgram(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
}

void end_mpi() {
  if (is_mpi_running()) MPI_Finalize();
}

MpiProgram::~MpiProgram() { end_mpi(); }

int world_communicator() { return MPI_Comm_c2f(MPI_COMM_WORLD); }

bool is_alone_in_world() {
  int size = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  return size == 1;
}

}  // namespace pileus
