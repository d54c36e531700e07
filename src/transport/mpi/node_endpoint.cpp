#include "transport/mpi/node_endpoint.h"

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/log.h"
#include "transport/mpi/mpi_call.h"
#include "transport/shared/shared_endpoint.h"

namespace pileus {
namespace {

/// The ranks of the communicator that run on this node.
class Node {
 public:
  explicit Node(MPI_Comm world) {
    int rank = 0;
    check_mpi(MPI_Comm_rank(world, &rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_),
              "MPI_Comm_split_type");
    int size = 0;
    check_mpi(MPI_Comm_size(node_, &size), "MPI_Comm_size");
    std::vector<int> all(static_cast<std::size_t>(size));
    check_mpi(MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, node_), "MPI_Allgather");
    ranks_.assign(all.begin(), all.end());
  }
  ~Node() { MPI_Comm_free(&node_); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::vector<Peer>& ranks() const { return ranks_; }
  bool is_true_on_all(bool mine) const {
    int of_all = 0;
    const int here = mine ? 1 : 0;
    check_mpi(MPI_Allreduce(&here, &of_all, 1, MPI_INT, MPI_MIN, node_), "MPI_Allreduce");
    return of_all != 0;
  }

 private:
  MPI_Comm node_ = MPI_COMM_NULL;
  std::vector<Peer> ranks_;
};

std::shared_ptr<SharedMemory> memory_for_a_bell() {
  if (!may_share_memory()) return nullptr;
  try {
    return std::make_shared<SharedMemory>(Bell::kBytes);
  } catch (const std::exception& error) {
    log::debug(std::string(error.what()) + "; messages within the node go by MPI");
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<Endpoint> make_node_endpoint(int fortran_communicator, MpiEndpointSettings settings) {
  std::unique_ptr<Endpoint> mpi = make_mpi_endpoint(fortran_communicator, settings);
  const Node node(MPI_Comm_f2c(fortran_communicator));
  std::shared_ptr<SharedMemory> memory = memory_for_a_bell();
  if (!node.is_true_on_all(memory != nullptr) || node.ranks().size() == 1) return mpi;
  return std::make_unique<SharedEndpoint>(std::move(mpi), node.ranks(), std::move(memory));
}

}  // namespace pileus
